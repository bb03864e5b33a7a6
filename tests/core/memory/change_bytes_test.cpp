#include "core/memory/change_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>

#include "core/memory/writes_without_fault.h"
#include "tests/support/hostile_memory.h"

using namespace dlscope::core;
using Catch::Matchers::ContainsSubstring;

namespace {

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

template <std::size_t N>
Result<std::vector<std::byte>> change(Address at, const std::array<unsigned char, N>& expected,
                                      const std::array<unsigned char, N>& bytes) {
  const auto reader = process_reader(0);
  REQUIRE(reader);
  return change_bytes(**reader, AddressMap::load(0).value(), at, std::as_bytes(std::span(expected)),
                      std::as_bytes(std::span(bytes)));
}

// Two pages, of which only the first may be written.
struct TwoPages {
  std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  unsigned char* bytes =
      static_cast<unsigned char*>(::mmap(nullptr, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  TwoPages() { ::mprotect(bytes + page, page, PROT_READ); }
  ~TwoPages() { ::munmap(bytes, page * 2); }
};

}  // namespace

TEST_CASE("bytes become others where they are the expected ones", "[core][memory]") {
  std::array<unsigned char, 4> memory{1, 2, 3, 4};
  const auto now = change<2>(address_of(&memory[1]), {2, 3}, {9, 8});
  REQUIRE(now);
  CHECK(std::to_integer<int>((*now)[0]) == 9);
  CHECK(memory == std::array<unsigned char, 4>{1, 9, 8, 4});
  const auto again = change<2>(address_of(&memory[1]), {2, 3}, {7, 7});
  REQUIRE_FALSE(again);
  CHECK_THAT(again.error().message, ContainsSubstring("09 08 now, not 02 03"));
  CHECK(memory == std::array<unsigned char, 4>{1, 9, 8, 4});
}

TEST_CASE("what is not mapped for writing stays as it is, also in part", "[core][memory]") {
  const TwoPages pages;
  const Address border = address_of(pages.bytes) + pages.page;
  CHECK(change<1>(border - 1, {0}, {5}));
  for (const Address at : {border - 1, border}) {
    const auto refused = change<2>(at, {static_cast<unsigned char>(at < border ? 5 : 0), 0}, {6, 6});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("not mapped for writing"));
  }
  CHECK((pages.bytes[pages.page - 1] == 5 && pages.bytes[pages.page] == 0));
  const auto nowhere = change<1>(16, {0}, {1});
  REQUIRE_FALSE(nowhere);
  CHECK_THAT(nowhere.error().message, ContainsSubstring("no memory is mapped at 0x10"));
  CHECK_FALSE(change<1>(~Address{0}, {0}, {1}));
}

TEST_CASE("a page that became read-only after the map was read is an error, and what was written before it is put back",
          "[core][memory]") {
  const TwoPages pages;
  ::mprotect(pages.bytes + pages.page, pages.page, PROT_READ | PROT_WRITE);
  const AddressMap before = AddressMap::load(0).value();
  ::mprotect(pages.bytes + pages.page, pages.page, PROT_READ);
  const std::array<std::byte, 2> expected{}, bytes{std::byte{1}, std::byte{1}};
  const auto reader = process_reader(0);
  const auto refused = change_bytes(**reader, before, address_of(pages.bytes) + pages.page - 1, expected, bytes);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, ContainsSubstring("does not let these bytes be written"));
  CHECK((pages.bytes[pages.page - 1] == 0 && pages.bytes[pages.page] == 0));
}

TEST_CASE("pages are made ready for writing without a byte being changed, or are refused", "[core][memory]") {
  const TwoPages pages;
  pages.bytes[3] = 7;
  const Address begin = address_of(pages.bytes);
  CHECK(prepare_for_writing({begin, begin}) == Prepared::yes);
  CHECK(prepare_for_writing({begin + pages.page - 1, begin + pages.page + 1}) != Prepared::yes);
  CHECK(prepare_for_writing({begin + pages.page, begin + pages.page + 1}) == Prepared::not_known);
  CHECK(prepare_for_writing({16, 17}) != Prepared::yes);
  if (prepare_for_writing({begin + 3, begin + 4}) == Prepared::not_known)
    SKIP("the kernel is older than 5.14: the address map is asked instead");
  CHECK(prepare_for_writing({begin + 3, begin + 4}) == Prepared::yes);
  CHECK(prepare_for_writing({16, 17}) == Prepared::no);
  CHECK(pages.bytes[3] == 7);
}

TEST_CASE("a page beyond the end of its file cannot be made ready for writing", "[core][memory]") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const int file = ::memfd_create("shorter", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(::ftruncate(file, static_cast<off_t>(page)) == 0);
  void* const mapped = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  const ByteRange range{address_of(mapped), address_of(mapped) + page};
  const Prepared before = prepare_for_writing(range);
  REQUIRE(::ftruncate(file, 0) == 0);
  const Prepared after = prepare_for_writing(range);
  ::munmap(mapped, page);
  ::close(file);
  if (before == Prepared::not_known) SKIP("the kernel is older than 5.14");
  CHECK(before == Prepared::yes);
  CHECK(after == Prepared::no);
}

TEST_CASE("pages that are write-protected with userfaultfd are not written: a write would wait for ever",
          "[core][memory][slow]") {
  using dlscope::tests::WriteProtectedPages;
  if (!WriteProtectedPages::may_be_used()) SKIP("this user may not use userfaultfd, or the kernel is older than 5.7");
  const TwoPages pages;
  const ByteRange usual{address_of(pages.bytes), address_of(pages.bytes) + 4};
  if (prepare_for_writing(usual) == Prepared::not_known) SKIP("the kernel is older than 5.14: it cannot be asked");
  WriteProtectedPages area;
  const ByteRange range{area.begin() + 3, area.begin() + 5};
  CHECK_FALSE(writes_without_fault(range));
  CHECK(writes_without_fault(usual));
  const auto reader = process_reader(0);
  std::array<std::byte, 2> old{};
  REQUIRE((*reader)->read(range.begin, old) == 2);
  const std::array<std::byte, 2> changed{std::byte{1}, std::byte{2}};
  for (int asked = 0; asked < 6; ++asked) {  // more than may hang
    const auto refused = change_bytes(**reader, AddressMap::load(0).value(), range.begin, old, changed);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("the memory does not answer a write"));
  }
  CHECK(prepare_for_writing(usual) == Prepared::yes);  // other memory is written as before
  area.let_go();
  std::array<std::byte, 2> now{};
  REQUIRE((*reader)->read(range.begin, now) == 2);
  CHECK(now == old);  // also by what had hung
  CHECK(change_bytes(**reader, AddressMap::load(0).value(), range.begin, old, changed).has_value());
}
