#include "app/window/commands/dropped_files.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

using Paths = std::vector<std::string>;

TEST_CASE("of files dropped at once the first of each kind is opened", "[window][files]") {
  CHECK(choose_dropped({}).opened.empty());
  const DroppedFiles one = choose_dropped({"/a/x.npz"});
  CHECK(one.opened == Paths{"/a/x.npz"});
  CHECK(one.left.empty());
  const DroppedFiles many =
      choose_dropped({"/a/x.npz", "/a/run.py", "/a/y.npy", "/a/race.streams.json", "/a/notes.txt", "/a/z.safetensors"});
  CHECK(many.opened == Paths{"/a/x.npz", "/a/run.py", "/a/race.streams.json"});
  CHECK(many.left == Paths{"/a/y.npy", "/a/notes.txt", "/a/z.safetensors"});
}

TEST_CASE("files that were dropped and not opened are named", "[window][files]") {
  const auto named = [](Paths left) {
    const std::string text = not_opened_text(left);
    return text.substr(0, text.find(". The window shows one"));
  };
  CHECK(named({"/a/y.npy"}) == "Not opened: y.npy");
  CHECK(named({"/a/y.npy", "/b/z.npy"}) == "Not opened: y.npy and z.npy");
  CHECK(named({"1", "2", "3", "4", "5"}) == "Not opened: 1, 2, 3, 4 and 5");
  CHECK(named({"1", "2", "3", "4", "5", "6"}) == "Not opened: 1, 2, 3, 4 and 2 more");
}

}  // namespace dlscope::app
