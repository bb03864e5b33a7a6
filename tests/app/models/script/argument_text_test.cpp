#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/models/script/argument_text.h"
#include "app/models/script/working_folder.h"

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

TEST_CASE("a working folder is absolute: from the home folder, or from where the script is", "[app][script]") {
  CHECK(app::working_folder_from("", "/of/a.py").empty());
  CHECK(app::working_folder_from("  ", "/of/a.py").empty());
  CHECK(app::working_folder_from(".", "/of/a.py") == "/of");
  CHECK(app::working_folder_from(" ../data/ ", "/of/a.py") == "/data");
  CHECK(app::working_folder_from("/", "/of/a.py") == "/");
  CHECK(app::working_folder_from("/with a blank", "") == "/with a blank");
  CHECK(app::working_folder_from("here", "") == (std::filesystem::current_path() / "here").string());
  CHECK(app::working_folder_from("~", "/of/a.py") == std::filesystem::path(std::getenv("HOME")).lexically_normal().string());
  CHECK(app::working_folder_from("~x", "/of/a.py") == "/of/~x");
}

}  // namespace dlscope::tests
