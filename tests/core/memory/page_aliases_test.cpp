// PageAliases against maps as text: which bytes of files are the same memory at several addresses.
#include "core/memory/page_aliases.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope::core;

namespace {

Address number_of(const PageAliases& aliases, Address address) {
  return address + aliases.shift_of({address, address + 1});
}

}  // namespace

TEST_CASE("a file that is mapped twice has one number for each of its bytes", "[core][memory]") {
  const PageAliases aliases(AddressMap::parse(
      "10000-14000 rw-s 00000000 00:01 7 /dev/shm/x\n"
      "20000-24000 r--s 00000000 00:01 7 /dev/shm/x\n"
      "30000-32000 rw-s 00003000 00:01 7 /dev/shm/x\n"
      "40000-44000 rw-s 00000000 00:01 8 /dev/shm/y\n"
      "50000-54000 rw-p 00000000 00:00 0\n"));
  REQUIRE_FALSE(aliases.empty());
  CHECK(number_of(aliases, 0x10123) == number_of(aliases, 0x20123));
  CHECK(number_of(aliases, 0x13001) == number_of(aliases, 0x30001));
  CHECK(number_of(aliases, 0x10000) != number_of(aliases, 0x30000));
  CHECK(aliases.shift_of({0x10000, 0x14000}) == number_of(aliases, 0x10000) - 0x10000);
  CHECK(aliases.shift_of({0x40000, 0x44000}) == 0);
  CHECK(aliases.shift_of({0x50000, 0x50001}) == 0);
  CHECK(aliases.shift_of({0x13fff, 0x14001}) == 0);  // not as a whole
  CHECK(aliases.shift_of({0xffff, 0x10001}) == 0);
  CHECK(aliases.shift_of({0x10000, 0x10000}) == 0);
}

TEST_CASE("two files, and parts of one file that do not meet, have different numbers", "[core][memory]") {
  const PageAliases aliases(AddressMap::parse(
      "10000-12000 rw-s 00000000 00:01 7 /a\n"
      "20000-22000 rw-s 00000000 00:01 7 /a\n"
      "30000-32000 rw-s 00000000 00:01 8 /b\n"
      "40000-42000 rw-s 00000000 00:01 8 /b\n"
      "50000-52000 rw-s 4000000000000000 00:01 8 /b, far behind\n"));
  CHECK(number_of(aliases, 0x10000) == number_of(aliases, 0x20000));
  CHECK(number_of(aliases, 0x30000) == number_of(aliases, 0x40000));
  CHECK(number_of(aliases, 0x10000) != number_of(aliases, 0x30000));
  CHECK(number_of(aliases, 0x11fff) < number_of(aliases, 0x30000));
  CHECK(aliases.shift_of({0x50000, 0x52000}) == 0);
}

TEST_CASE("private mappings, devices and a split mapping are no aliases", "[core][memory]") {
  CHECK(PageAliases(AddressMap::parse("10000-12000 rw-p 00000000 00:01 7 /a\n20000-22000 rw-s 00000000 00:01 7 /a\n")).empty());
  CHECK(PageAliases(AddressMap::parse("10000-12000 rw-s 00000000 00:05 7 /dev/nvidia0\n"
                                      "20000-22000 rw-s 00000000 00:05 7 /dev/nvidia0\n"))
            .empty());
  CHECK(PageAliases(AddressMap::parse("10000-12000 rw-s 00000000 00:01 7 /a\n12000-14000 r--s 00002000 00:01 7 /a\n")).empty());
  const PageAliases split(AddressMap::parse("10000-11000 rw-s 00000000 00:01 7 /a\n11000-12000 rw-s 00001000 00:01 7 /a\n"
                                            "20000-22000 rw-s 00000000 00:01 7 /a\n"));
  CHECK(split.shift_of({0x10800, 0x11800}) + 0x10800 == split.shift_of({0x20800, 0x21800}) + 0x20800);
  CHECK(split.shift_of({0x10800, 0x11800}) != 0);
}
