#include "tests/core/files/elf_bytes.h"

#include <cstring>

namespace dlscope::core::test {
namespace {

template <class T>
void append(Bytes& file, const T& value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Elf64_Sym function(std::uint32_t name, std::uint64_t value, std::uint64_t size, int binding) {
  Elf64_Sym symbol{};
  symbol.st_name = name;
  symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, STT_FUNC));
  symbol.st_shndx = 1;
  symbol.st_value = value;
  symbol.st_size = size;
  return symbol;
}

Bytes elf(const std::vector<Elf64_Sym>& symbols, const Bytes& names, std::uint32_t table_type) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = header.e_phoff + sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Phdr code{};
  code.p_type = PT_LOAD;
  code.p_flags = PF_R | PF_X;
  code.p_offset = code.p_filesz = 0x1000;
  code.p_vaddr = 0x5000;
  Elf64_Shdr none{}, table{}, strings{};
  table.sh_type = table_type;
  table.sh_offset = header.e_shoff + 3 * sizeof(Elf64_Shdr);
  table.sh_size = symbols.size() * sizeof(Elf64_Sym);
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_link = 2;
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = table.sh_offset + table.sh_size;
  strings.sh_size = names.size();
  Bytes file;
  append(file, header);
  append(file, code);
  for (const Elf64_Shdr& section : {none, table, strings}) append(file, section);
  for (const Elf64_Sym& symbol : symbols) append(file, symbol);
  return file + names;
}

}  // namespace dlscope::core::test
