#include "core/files/elf_symbols.h"

#include <elf.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/demangle.h"
#include "core/files/mapped_file.h"
#include "core/memory/address_map.h"
#include "elf_bytes.h"
#include "file_bytes.h"

// One the linker knows as it is written here, and one it does not.
extern "C" [[gnu::noinline, gnu::used]] int dlscope_test_known_function(int x) { return x * 3 + 1; }
namespace dlscope::core::test {
[[gnu::noinline, gnu::used]] int known_overload(const std::string& text) { return static_cast<int>(text.size()) + 1; }
}  // namespace dlscope::core::test

namespace dlscope::core {
namespace {

using test::Bytes;
using test::elf;
using test::function;

std::uint64_t offset_of(const void* code) {
  const auto map = AddressMap::load(0);
  REQUIRE(map);
  const Mapping* mapping = map->find(reinterpret_cast<Address>(code));
  REQUIRE(mapping);
  return reinterpret_cast<Address>(code) - mapping->range.begin + mapping->file_offset;
}

Bytes own_file() {
  const auto file = MappedFile::open("/proc/self/exe");
  REQUIRE(file);
  const auto bytes = file->read(0, file->size());
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

auto names_in(const Bytes& file, const std::vector<std::uint64_t>& offsets) {
  return elf_function_names(file.size(), test::reading(file), offsets);
}

const Bytes kNames("\0first\0second\0alias\0with space\0endless", 38);  // at 1, 7, 14, 20, 31

}  // namespace

TEST_CASE("code of this very program is named from its file, its first byte to its last", "[core][files][elf]") {
  const Bytes file = own_file();
  const auto plain = offset_of(reinterpret_cast<const void*>(&dlscope_test_known_function));
  const auto overload = offset_of(reinterpret_cast<const void*>(&test::known_overload));
  const auto names = names_in(file, {overload, plain, plain + 1, 0, file.size() + 100});
  REQUIRE(names);
  CHECK(demangled((*names)[0]).starts_with("dlscope::core::test::known_overload("));
  CHECK((*names)[1] == "dlscope_test_known_function");
  CHECK((*names)[2] == "dlscope_test_known_function");
  CHECK((*names)[3].empty());  // the file's header is no function
  CHECK((*names)[4].empty());
}

TEST_CASE("a function is named where its bytes are, and nowhere else", "[core][files][elf]") {
  const std::uint32_t type = GENERATE_COPY(std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM});
  const Bytes file =
      elf({Elf64_Sym{}, function(1, 0x5010, 0x10), function(7, 0x5030, 8), function(14, 0x5030, 8, STB_WEAK)}, kNames, type);
  const auto names = names_in(file, {0x100f, 0x1010, 0x101f, 0x1020, 0x1037, 0x1038, 0x5010});
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"", "first", "first", "", "second", "", ""});
}

TEST_CASE("the inner of two functions, no data, nothing undefined, no name that is none", "[core][files][elf]") {
  Elf64_Sym data = function(1, 0x5100, 8), undefined = function(1, 0x5200, 8);
  data.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  undefined.st_shndx = SHN_UNDEF;
  const Bytes file = elf({function(1, 0x5000, 0x80), function(7, 0x5010, 0x10), data, undefined, function(20, 0x5300, 8),
                          function(31, 0x5400, 8), function(9999, 0x5500, 8), function(1, ~0ULL - 4, ~0ULL)},
                         kNames);
  const auto names = names_in(file, {0x1008, 0x1018, 0x1100, 0x1200, 0x1300, 0x1400, 0x1500, 0x1600});
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"first", "second", "", "", "", "", "", ""});
}

TEST_CASE("what is no ELF file of 64 bits is refused in words", "[core][files][elf]") {
  CHECK_FALSE(names_in("", {0}));
  CHECK(names_in(Bytes(4096, 'x'), {0}).error().message == "it is not an ELF file");
  Bytes small = elf({}, kNames);
  small[EI_CLASS] = ELFCLASS32;
  CHECK(names_in(small, {0}).error().kind == ErrorKind::unsupported);
  Bytes cut = elf({function(1, 0x5000, 8)}, kNames);
  cut.pop_back();
  CHECK(names_in(cut, {0x1000}).error().message == "its symbol table is beyond the end of the file");
}

TEST_CASE("a file cut anywhere gives the right name or none", "[core][files][elf]") {
  const Bytes whole = elf({Elf64_Sym{}, function(1, 0x5010, 0x10)}, kNames);
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(names_in(whole.substr(0, size), {0x1010}));
  Bytes own = own_file();
  const auto offset = offset_of(reinterpret_cast<const void*>(&dlscope_test_known_function));
  for (int cut = 0; cut < 40; ++cut) {  // the headers of the sections stand at its end
    own.resize(own.size() - own.size() / 8 - 1);
    const auto names = names_in(own, {offset});
    if (names && !names->front().empty() && names->front() != "dlscope_test_known_function") FAIL(names->front());
  }
}

TEST_CASE("mutated ELF files are read or refused, nothing else", "[core][files][elf][fuzz]") {
  const Bytes whole = elf({Elf64_Sym{}, function(1, 0x5010, 0x10), function(7, 0x5030, ~0ULL)}, kNames);
  std::mt19937_64 chance(20261122);
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 60'000; ++round) {
    Bytes file = whole;
    for (std::uint64_t n = 1 + chance() % 4; n > 0; --n) {
      const std::size_t at = chance() % (file.size() - 8);
      const std::uint64_t value = chance() % 3 == 0 ? ~0ULL - chance() % 64 : chance() >> (chance() % 64);
      std::memcpy(file.data() + at, &value, 1ULL << chance() % 4);
    }
    if (chance() % 16 == 0) file.resize(chance() % (file.size() + 1));
    ++(names_in(file, {0x1010, 0x1030, chance(), ~0ULL}) ? read : refused);
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("C++ names are told as written; what would grow without bound stays as it is", "[core][files][elf]") {
  CHECK(demangled("_ZN2at6Tensor4itemEv") == "at::Tensor::item()");
  CHECK(demangled("memset") == "memset");
  CHECK(demangled("f") == "f");  // a function, and not the type float
  CHECK(demangled("_Znonsense") == "_Znonsense");
  CHECK(demangled("_Z600" + std::string(600, 'x') + "v").starts_with("_Z600"));
  std::string doubled = "_Z1f1aIiiE";  // each argument holds the one before it four times
  for (const char c : std::string_view("0123456789ABCDEFGH"))
    doubled += "S_IS" + std::string{c} + "_S" + c + "_S" + c + "_S" + c + "_E";
  REQUIRE(doubled.size() < 512);
  CHECK(demangled(doubled) == doubled);
}

}  // namespace dlscope::core
