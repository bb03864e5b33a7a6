#include "core/files/elf_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMaxSymbols = 16'000'000;  // in one table: 384 MB
constexpr std::uint64_t kSymbolsAtOnce = 32 * 1024;
constexpr std::uint64_t kMaxNameBytes = 4096;

class File {
 public:
  File(std::uint64_t bytes, const ReadBytes& read) : bytes_(bytes), read_(read) {}

  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t count, std::uint64_t each) const {
    return offset <= bytes_ && count <= (bytes_ - offset) / each;
  }
  template <class T>
  [[nodiscard]] Result<std::vector<T>> read(std::uint64_t offset, std::uint64_t count) const {
    if (!holds(offset, count, sizeof(T))) return fail(ErrorKind::invalid, "a part of it is beyond the end of the file");
    const auto bytes = read_(offset, count * sizeof(T));
    if (!bytes) return std::unexpected(bytes.error());
    std::vector<T> out(count);
    if (count > 0) std::memcpy(out.data(), bytes->data(), count * sizeof(T));
    return out;
  }

 private:
  std::uint64_t bytes_;
  const ReadBytes& read_;
};

// One requested address, and the best symbol found for it so far.
struct Sought {
  std::uint64_t address = 0;
  std::size_t place = 0;  // index into the requested offsets
  std::optional<Elf64_Sym> symbol;
};

bool is_code(const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 && symbol.st_name != 0;
}

// Whether the first of two symbols that contain the address is the better
// one: the inner one, or of two names for the same code the public one.
bool is_better(const Elf64_Sym& one, const Elf64_Sym& other) {
  const auto rank = [](const Elf64_Sym& symbol) {
    const int binding = ELF64_ST_BIND(symbol.st_info);
    return std::tuple(symbol.st_value, ~symbol.st_size, binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0);
  };
  return rank(one) > rank(other);
}

Result<Elf64_Ehdr> read_file_header(const File& file) {
  const auto headers = file.read<Elf64_Ehdr>(0, 1);
  if (!headers) return std::unexpected(headers.error());
  const Elf64_Ehdr& header = headers->front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return fail(ErrorKind::invalid, "it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(ErrorKind::unsupported, "it is an ELF file, but not one of 64 bits, little endian");
  if ((header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr)))
    return fail(ErrorKind::invalid, "its headers do not have the size the format gives them");
  return header;
}

// The offsets that lie in executable segments, converted to the addresses that symbols use, in ascending order.
std::vector<Sought> addresses_of(std::span<const std::uint64_t> offsets, std::span<const Elf64_Phdr> segments) {
  std::vector<Sought> out;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto holds = [&](const Elf64_Phdr& segment) {
      return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && offsets[i] >= segment.p_offset &&
             offsets[i] - segment.p_offset < segment.p_filesz;
    };
    const auto segment = std::ranges::find_if(segments, holds);
    if (segment != segments.end()) out.push_back({segment->p_vaddr + (offsets[i] - segment->p_offset), i, {}});
  }
  std::ranges::sort(out, {}, &Sought::address);
  return out;
}

void take(const Elf64_Sym& symbol, std::span<Sought> sought) {
  if (!is_code(symbol)) return;
  auto it = std::ranges::lower_bound(sought, symbol.st_value, {}, &Sought::address);
  for (; it != sought.end() && it->address - symbol.st_value < symbol.st_size; ++it) {
    if (!it->symbol || is_better(symbol, *it->symbol)) it->symbol = symbol;
  }
}

// The name at an offset of the string table; "" if it is not printable ASCII or not terminated, which no compiler produces.
Result<std::string> name_at(const File& file, const Elf64_Shdr& strings, std::uint64_t at) {
  if (at >= strings.sh_size) return std::string();
  const auto bytes = file.read<char>(strings.sh_offset + at, std::min(strings.sh_size - at, kMaxNameBytes));
  if (!bytes) return std::unexpected(bytes.error());
  const auto end = std::ranges::find(*bytes, '\0');
  const bool plain = std::all_of(bytes->begin(), end, [](char c) { return c > ' ' && c <= '~'; });
  return end != bytes->end() && plain ? std::string(bytes->begin(), end) : std::string();
}

// Finds names for the entries of `sought` in the first symbol table of that type; entries without a name stay in `sought`.
Result<void> look_in(const File& file, std::span<const Elf64_Shdr> sections, std::uint32_t type, std::vector<Sought>& sought,
                     std::vector<std::string>& names) {
  const auto table = std::ranges::find(sections, type, &Elf64_Shdr::sh_type);
  if (table == sections.end() || sought.empty()) return {};
  const std::uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= sections.size() ||
      sections[table->sh_link].sh_type != SHT_STRTAB)
    return fail(ErrorKind::invalid, "its symbol table is malformed");
  const Elf64_Shdr& strings = sections[table->sh_link];
  if (!file.holds(table->sh_offset, count, sizeof(Elf64_Sym)) || !file.holds(strings.sh_offset, strings.sh_size, 1))
    return fail(ErrorKind::invalid, "its symbol table is beyond the end of the file");
  if (count > kMaxSymbols) return fail(ErrorKind::unsupported, fmt::format("its symbol table has {} entries", count));
  for (std::uint64_t done = 0; done < count; done += kSymbolsAtOnce) {
    const auto symbols =
        file.read<Elf64_Sym>(table->sh_offset + done * sizeof(Elf64_Sym), std::min(kSymbolsAtOnce, count - done));
    if (!symbols) return std::unexpected(symbols.error());
    for (const Elf64_Sym& symbol : *symbols) take(symbol, sought);
  }
  for (Sought& one : sought) {
    if (!one.symbol) continue;
    auto name = name_at(file, strings, one.symbol->st_name);
    if (!name) return std::unexpected(name.error());
    names[one.place] = *std::move(name);
    one.symbol.reset();
  }
  std::erase_if(sought, [&](const Sought& one) { return !names[one.place].empty(); });
  return {};
}

}  // namespace

Result<std::vector<std::string>> elf_function_names(std::uint64_t file_bytes, const ReadBytes& read,
                                                    std::span<const std::uint64_t> offsets) {
  const File file(file_bytes, read);
  const auto header = read_file_header(file);
  if (!header) return std::unexpected(header.error());
  const auto segments = file.read<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (!segments) return std::unexpected(segments.error());
  const auto sections = file.read<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (!sections) return std::unexpected(sections.error());
  std::vector<std::string> names(offsets.size());
  std::vector<Sought> sought = addresses_of(offsets, *segments);
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    if (const auto looked = look_in(file, *sections, type, sought, names); !looked) return std::unexpected(looked.error());
  }
  return names;
}

}  // namespace dlscope::core
