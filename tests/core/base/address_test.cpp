#include "core/base/address.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/build_id.h"

#include <string>

namespace dlscope::core {
namespace {

TEST_CASE("byte ranges are half-open", "[base]") {
  constexpr ByteRange range{10, 20};
  CHECK(range.size() == 10);
  CHECK(range.contains(10));
  CHECK(range.contains(19));
  CHECK_FALSE(range.contains(20));
  CHECK_FALSE(range.contains(9));
}

TEST_CASE("touching byte ranges do not meet", "[base]") {
  CHECK_FALSE(ByteRange{0, 10}.meets({10, 20}));
  CHECK_FALSE(ByteRange{10, 20}.meets({0, 10}));
  CHECK(ByteRange{0, 11}.meets({10, 20}));
  CHECK(ByteRange{0, 100}.meets({10, 20}));
  CHECK(ByteRange{10, 20}.meets({0, 100}));
}

TEST_CASE("an empty byte range has no size and contains nothing", "[base]") {
  constexpr ByteRange range{5, 5};
  CHECK(range.empty());
  CHECK(range.size() == 0);
  CHECK_FALSE(range.contains(5));
  CHECK_FALSE(range.meets({6, 8}));
}

TEST_CASE("the build id begins with the version and is more than it", "[base]") {
  const std::string id = build_id();
  CHECK(id.starts_with(version()));
  CHECK(id.size() > std::string(version()).size());
}

}  // namespace
}  // namespace dlscope::core
