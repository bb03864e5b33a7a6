#include <catch2/catch_test_macros.hpp>

#include "app/models/script/argument_text.h"

namespace dlscope::tests {

using Words = std::vector<std::string>;

TEST_CASE("arguments are parted as a shell parts them", "[app][script]") {
  CHECK(*app::split_arguments("") == Words{});
  CHECK(*app::split_arguments("  --lr 1e-3\tfile.txt ") == Words{"--lr", "1e-3", "file.txt"});
  CHECK(*app::split_arguments(R"('two words' "a \"b\"" c\ d '' e'f'g)") == Words{"two words", "a \"b\"", "c d", "", "efg"});
  CHECK(*app::split_arguments("$HOME *") == Words{"$HOME", "*"});
  CHECK_FALSE(app::split_arguments("it's").has_value());
}

TEST_CASE("what is joined is parted into the same arguments", "[app][script]") {
  for (const Words& words : {Words{}, Words{""}, Words{"a", "b c", "it's", "\"q\"", "\\", "ü", "$x"}, Words{"--name=value", "'"}})
    CHECK(*app::split_arguments(app::join_arguments(words)) == words);
}

}  // namespace dlscope::tests
