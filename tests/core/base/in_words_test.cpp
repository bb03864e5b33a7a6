#include "core/base/in_words.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace dlscope::core {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("whatever a call throws is an error in words, and what it returns stays as it is", "[core][base]") {
  CHECK(in_words([]() -> Result<int> { return 7; }) == 7);
  CHECK(in_words([]() -> Result<int> { return fail(ErrorKind::not_found, "no such name"); }).error().message == "no such name");
  CHECK(in_words([]() -> Result<int> { throw std::bad_alloc(); }).error().message == "there is not enough memory for it");
  const auto too_long = in_words([]() -> Result<int> { return static_cast<int>(std::vector<int>().at(3)); });
  CHECK_THAT(too_long.error().message, ContainsSubstring("dlscope failed: "));
  const auto no_thread = in_words([]() -> Result<int> {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  CHECK(no_thread.error().kind == ErrorKind::environment);
  CHECK_THAT(no_thread.error().message, ContainsSubstring("unavailable"));
}

}  // namespace dlscope::core
