#include "app/files/read_file.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace dlscope::app {

TEST_CASE("what is no text file is refused with words", "[app][files]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "binary", std::ios::binary) << std::string("ab\0cd", 5);
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  std::ofstream(folder / "large").put('x');
  std::filesystem::resize_file(folder / "large", kMaxTextBytes + 1);
  CHECK(read_text_file(folder / "missing").error().kind == core::ErrorKind::not_found);
  CHECK(read_text_file(folder / ".").error().kind == core::ErrorKind::invalid);
  CHECK(read_text_file(folder / "fifo").error().kind == core::ErrorKind::invalid);
  CHECK(read_text_file(folder / "binary").error().kind == core::ErrorKind::invalid);
  CHECK(read_text_file(folder / "large").error().message.ends_with("is larger than 16 MiB: not a script."));
}

TEST_CASE("a text file is read whole", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string text(200'000, 'x');
  std::ofstream(folder / "empty").close();
  std::ofstream(folder / "text") << text;
  CHECK(read_text_file(folder / "empty").value().empty());
  CHECK(read_text_file(folder / "text").value() == text);
}

}  // namespace dlscope::app
