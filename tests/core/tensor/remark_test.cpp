#include "core/tensor/remark.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace dlscope::core {
namespace {

// "| `code` | kind | meaning |": one row of docs/remarks.md.
std::string doc_row(const RemarkInfo& remark) {
  const char* kind = remark.kind == RemarkKind::problem ? "problem" : "note";
  return "| `" + std::string(remark.name) + "` | " + kind + " | " + remark.meaning + " |";
}

TEST_CASE("every remark has a name and a meaning of its own", "[tensor]") {
  std::set<std::string_view> names;
  for (const RemarkInfo& remark : all_remarks()) {
    CAPTURE(remark.name);
    CHECK(names.insert(remark.name).second);
    CHECK(std::string_view(remark.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
    CHECK(std::string_view(remark.meaning).ends_with("."));
    CHECK(remark_code_name(remark.code) == std::string_view(remark.name));
    CHECK(remark_meaning(remark.code) == std::string_view(remark.meaning));
    CHECK(remark_kind(remark.code) == remark.kind);
  }
}

TEST_CASE("a remark code from nowhere has an empty name", "[tensor]") {
  CHECK(std::string_view(remark_code_name(static_cast<RemarkCode>(60000))).empty());
  CHECK(std::string_view(remark_meaning(static_cast<RemarkCode>(60000))).empty());
}

TEST_CASE("docs/remarks.md lists exactly the remarks there are", "[tensor]") {
  const char* source_dir = std::getenv("DLSCOPE_SOURCE_DIR");
  if (source_dir == nullptr) SKIP("DLSCOPE_SOURCE_DIR is not set");
  std::ifstream file(std::string(source_dir) + "/docs/remarks.md");
  REQUIRE(file);
  std::set<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) CHECK(documented.insert(line).second);
  }
  for (const RemarkInfo& remark : all_remarks()) {
    INFO("missing in docs/remarks.md: " << doc_row(remark));
    CHECK(documented.erase(doc_row(remark)) == 1);
  }
  for (const std::string& left : documented) FAIL_CHECK("documented, but no such remark: " << left);
}

}  // namespace
}  // namespace dlscope::core
