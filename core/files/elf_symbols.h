// The functions of an ELF file: which one the code at an offset belongs to. The file is hostile: every range is checked against its size,
// and neither the time nor the memory it takes depends on more than the sizes of its tables, which are bounded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/files/npy_header.h"

namespace dlscope::core {

// For each offset in the file the name, as the linker knows it, of the function whose code that byte is; "" where no symbol of
// .symtab or .dynsym says so. Only the headers, the symbol tables and the names are read.
// Fails when the file is not ELF (64 bits, little endian) or its headers or tables leave it.
[[nodiscard]] Result<std::vector<std::string>> elf_function_names(std::uint64_t file_bytes, const ReadBytes& read,
                                                                  std::span<const std::uint64_t> offsets);

}  // namespace dlscope::core
