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
  for (const char* bad : {"(", "[a", "*", "(?<n", "\\"}) {
    INFO(bad);
    CHECK_FALSE(find_all("abc", {bad, false, false, true}).error.empty());
  }
}

TEST_CASE("a pattern that is wrong is told where", "[find]") {
  CHECK(find_all("abc", {"\xC3\xA4(b", false, false, true}).error.starts_with("At character 4: missing closing parenthesis"));
}

TEST_CASE("patterns know letters of all scripts, word borders, look ahead and repeat what they found", "[find]") {
  const std::string text =
      "\xC3\x84"
      "pfel \xC3\xA4"
      "pfel apfel";
  CHECK(find_all(text, {"\xC3\xA4"
                        "pfel",
                        false, false, true})
            .matches == Matches{{0, 0, 5}, {0, 6, 11}});
  CHECK(find_all(text, {R"(\bpfel)", true, false, true}).matches.empty());
  CHECK(find_all("aa ab bb", {R"((\w)\1)", true, false, true}).matches == Matches{{0, 0, 2}, {0, 6, 8}});
  CHECK(find_all("x1 x2", {R"(x(?=2))", true, false, true}).matches == Matches{{0, 3, 4}});
  CHECK(find_all("a\xFF"
                 "b\nab",
                 {"b", true, false, true})
            .matches == Matches{{1, 1, 2}});  // the first line is no UTF-8
}

TEST_CASE("a pattern made to take forever ends, and the lines it could not search are counted", "[find]") {
  const std::string text = std::string(1'500, 'a') + "!\nab";
  const auto result = find_all(text, {"(a+)+[!b]$(?<!!)", true, false, true});
  CHECK(result.matches == Matches{{1, 0, 2}});
  CHECK(result.left_out.starts_with("1 line is too long or too hard"));
  const std::string longer(100'000, 'a');
  CHECK(find_all(longer, {"a", true, false, true}).matches.size() == 100'000);
  CHECK_FALSE(find_all(longer, {"a", true, false, true}, {}, {.pattern_line = 10}).left_out.empty());
  CHECK(find_all(longer, {"a", true}).matches.size() == 100'000);
}

TEST_CASE("of more matches than are kept exactly as many are found and replaced as is said", "[find]") {
  for (const bool regex : {false, true}) {
    const FindQuery query{"a", true, false, regex};
    const auto found = find_all("aaa\naaa", query, {}, {.matches = 4});
    CHECK(found.matches.size() == 4);
    CHECK(found.left_out == "the first 4 only");
    const auto plan = replace_all("aaa\naaa", query, "b", {}, {.matches = 4});
    CHECK(plan.count == 4);
    CHECK(plan.lines == std::vector<std::pair<std::uint32_t, std::string>>{{0, "bbb"}, {1, "baa"}});
    CHECK(plan.left_out == "the first 4 only");
    CHECK(find_all("aaa", query, {}, {.matches = 3}).left_out.empty());
  }
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
  for (const bool regex : {false, true}) {
    const auto cut = replace_all("a a a\na a\n", {"a", true, false, regex}, "b", {}, {.matches = 2});
    CHECK(cut.count == 2);
    CHECK(cut.lines == std::vector<std::pair<std::uint32_t, std::string>>{{0, "b b a"}});
    CHECK(cut.left_out == "the first 2 only");
    CHECK(replace_all("a a\n", {"a", true, false, regex}, "b", {}, {.matches = 2}).left_out.empty());
  }
  CHECK(replacement_for("a=b, c=d", {0, 5, 8}, swap, "<$&>") == "<c=d>");
  CHECK(replacement_for("abc", {0, 0, 1}, {"a"}, "$1") == "$1");
  const FindQuery group{"(a)|(b)", true, false, true};
  CHECK(replacement_for("ab", {0, 1, 2}, group, "[$1$2$3$$x$]") == "[b$x$]");
}

}  // namespace dlscope::app
