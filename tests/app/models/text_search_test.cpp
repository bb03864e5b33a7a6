#include "app/models/text/text_search.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

using Matches = std::vector<TextMatch>;

TEST_CASE("plain text is found by case and by word, in code points", "[find]") {
  const std::string text = "Foo foo\n\xC3\xA4 food foo\n\nfoofoo";
  CHECK(find_all(text, {"foo"}).matches == Matches{{0, 0, 3}, {0, 4, 7}, {1, 2, 5}, {1, 7, 10}, {3, 0, 3}, {3, 3, 6}});
  CHECK(find_all(text, {"foo", true}).matches == Matches{{0, 4, 7}, {1, 2, 5}, {1, 7, 10}, {3, 0, 3}, {3, 3, 6}});
  CHECK(find_all(text, {"foo", false, true}).matches == Matches{{0, 0, 3}, {0, 4, 7}, {1, 7, 10}});
  CHECK(find_all(text, {""}).matches.empty());
  CHECK(find_all("aaa", {"aa"}).matches == Matches{{0, 0, 2}});
}

TEST_CASE("patterns are found, and bad ones are explained", "[find]") {
  FindQuery query{R"((\w+)\s*=\s*(\d+))", true, false, true};
  CHECK(find_all("x = 1\nname=22 y = 3", query).matches == Matches{{0, 0, 5}, {1, 0, 7}, {1, 8, 13}});
  CHECK(find_all("\xC3\xA4"
                 "b",
                 {".", true, false, true})
            .matches.size() == 2);
  CHECK(find_all("abc", {"x*", true, false, true}).matches.empty());  // nothing is no match
  for (const char* bad : {"(", "[a", "*", "a{2", "\\"}) {
    INFO(bad);
    CHECK_FALSE(find_all("abc", {bad, false, false, true}).error.empty());
  }
}

TEST_CASE("a pattern made to take forever ends", "[find]") {
  const std::string text = std::string(1'500, 'a') + "!";
  const auto result = find_all(text, {"(a+)+$", true, false, true});
  CHECK(result.matches.empty());
  // A line too long for a pattern is said to be left out, and found without one.
  const std::string longer(100'000, 'a');
  CHECK_FALSE(find_all(longer, {"a", true, false, true}).left_out.empty());
  CHECK(find_all(longer, {"a", true}).matches.size() == 100'000);
  CHECK_FALSE(find_all(longer + "a", {"a", true}, {}, {.matches = 10}).left_out.empty());
}

TEST_CASE("the next match is after the cursor and wraps around", "[find]") {
  const Matches matches{{0, 2, 3}, {1, 0, 1}, {1, 5, 6}};
  CHECK(match_from(matches, 0, 0) == 0);
  CHECK(match_from(matches, 0, 2) == 0);
  CHECK(match_from(matches, 0, 3) == 1);
  CHECK(match_from(matches, 1, 6) == 0);
  CHECK(match_before(matches, 1, 5) == 1);
  CHECK(match_before(matches, 0, 0) == 2);
  CHECK(match_from({}, 0, 0) == 0);
}

TEST_CASE("replacing all gives the changed lines only", "[find]") {
  const auto plan = replace_all("a b\nc\nb b\n", {"b", true}, "$1x");
  CHECK(plan.count == 3);
  CHECK(plan.lines == std::vector<std::pair<std::uint32_t, std::string>>{{0, "a $1x"}, {2, "$1x $1x"}});
  const FindQuery swap{R"((\w+)=(\w+))", true, false, true};
  CHECK(replace_all("a=b, \xC3\xA4=d", swap, "$2=$1").lines[0].second == "b=a, d=\xC3\xA4");
  CHECK(replacement_for("a=b, c=d", {0, 5, 8}, swap, "<$&>") == "<c=d>");
  CHECK(replacement_for("abc", {0, 0, 1}, {"a"}, "$1") == "$1");
}

}  // namespace dlscope::app
