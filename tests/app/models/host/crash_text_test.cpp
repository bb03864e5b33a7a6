#include "app/models/host/crash_text.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("the address of a fault is told with how it was touched and what lies there", "[app][crash]") {
  core::CrashFacts facts;
  CHECK(crash_address_text(facts).empty());  // abort() has none
  facts.address = 0x7f10;
  CHECK(crash_address_text(facts) == "At 0x7f10.");
  facts.access = core::CrashFacts::Access::write;
  facts.memory = "no memory is mapped there";
  CHECK(crash_address_text(facts) == "Written to 0x7f10: no memory is mapped there.");
  facts.access = core::CrashFacts::Access::read;
  CHECK(crash_address_text(facts) == "Read from 0x7f10: no memory is mapped there.");
}

TEST_CASE("native frames are told by library", "[app][crash]") {
  core::CrashFacts facts;
  CHECK(native_lines(facts).empty());
  facts.native = {{"/usr/lib/libc.so.6", 0x10, {}}, {"/usr/lib/libc.so.6", 0x20, {}}, {"", 0x7000, {}}};
  for (std::uint64_t i = 0; i < 10; ++i) facts.native.push_back({"/opt/libpython3.12.so", i, {}});
  const auto lines = native_lines(facts);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "libc.so.6: +0x10, +0x20");
  CHECK(lines[1] == "code of no file: 0x7000");
  CHECK(lines[2] == "libpython3.12.so: +0x0, +0x1, +0x2, +0x3, +0x4, +0x5, +0x6, +0x7 and 2 more");
}

TEST_CASE("native frames are told by the function's name where it is known", "[app][crash]") {
  core::CrashFacts facts;
  facts.native = {
      {"/usr/lib/libc.so.6", 0x10, "abort"}, {"/usr/lib/libc.so.6", 0x20, {}}, {"/opt/libt.so", 0x30, std::string(200, 'n')}};
  const auto lines = native_lines(facts);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "libc.so.6: abort (+0x10), +0x20");
  CHECK(lines[1] == "libt.so: " + std::string(80, 'n') + "... (+0x30)");
}

}  // namespace dlscope::app
