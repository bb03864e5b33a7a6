// A small ELF file for tests of its readers.
#pragma once

#include <elf.h>

#include <cstdint>
#include <vector>

#include "tests/core/files/file_bytes.h"

namespace dlscope::core::test {

[[nodiscard]] Elf64_Sym function(std::uint32_t name, std::uint64_t value, std::uint64_t size, int binding = STB_GLOBAL);

// Code at offset 0x1000 of 0x1000 bytes, loaded at 0x5000; the file need not hold it to be asked about it.
[[nodiscard]] Bytes elf(const std::vector<Elf64_Sym>& symbols, const Bytes& names, std::uint32_t table_type = SHT_SYMTAB);

}  // namespace dlscope::core::test
