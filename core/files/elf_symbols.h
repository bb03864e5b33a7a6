// Finds the function that contains the code at an offset of an ELF file. The file is untrusted: every range is checked against
// its size; time and memory depend only on the sizes of its tables, which are bounded. thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/files/npy_header.h"

namespace dlscope::core {

// For each offset in the file, the (mangled) name of the function that contains that byte; "" if no symbol of .symtab or .dynsym
// covers it. Reads only the headers, the symbol tables and the names.
// Fails when the file is not ELF (64-bit, little-endian), or its headers or tables extend beyond its end.
[[nodiscard]] Result<std::vector<std::string>> elf_function_names(std::uint64_t file_bytes, const ReadBytes& read,
                                                                  std::span<const std::uint64_t> offsets);

}  // namespace dlscope::core
