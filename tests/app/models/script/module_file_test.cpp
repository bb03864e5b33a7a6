#include "app/models/script/module_file.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace dlscope {

TEST_CASE("a module's file is found below a folder by its name", "[app][models]") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path root = folder / "";
  std::filesystem::create_directories(root / "pkg" / "both");
  for (const auto* file : {"pkg/train.py", "pkg/both.py", "pkg/both/__main__.py", "alone.py"})
    std::ofstream(root / file) << "";
  const auto file = [&](std::string_view name) {
    const auto found = app::file_of_module(name, root);
    return found ? found->lexically_relative(root).string() : std::string();
  };
  CHECK(file("alone") == "alone.py");
  CHECK(file("pkg.train") == "pkg/train.py");
  CHECK(file("pkg.both") == "pkg/both/__main__.py");  // Python prefers the package
  for (const auto* none : {"pkg", "nothing", "", ".", ".alone", "alone.", "pkg..train", "../alone", "pkg/train"})
    CHECK(file(none).empty());
}

}  // namespace dlscope
