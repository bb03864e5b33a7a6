// Comparing a live tensor with one of a file, in the window, without a Python.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/window/stories/story_windows.h"
#include "tests/core/files/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

constexpr const char* kPanel = "//Compare";

// "net.w" and "net.b" of this process beside the file expected.npz with "w", "b" and "other".
class FileStory {
 public:
  FileStory() : before_(fs::current_path()), w_{1, 2, 3, 4, 5, 6}, b_{1, 2} {
    fs::current_path(folder_.path());
    write({1, 2, 3, 4.5F, 5, 6});
    story.app().read_memory_with(core::process_reader(0).value());
    story.frames(3);
    const core::DType dtype = *core::dtype_from_name("float32");
    story.show(local_tensors({{"net.w", w_.data(), dtype, core::Layout::c_order({2, 3}, 32)},
                              {"net.b", b_.data(), dtype, core::Layout::c_order({2}, 32)},
                              {"net.new", b_.data(), dtype, core::Layout::c_order({2}, 32)}}));
    story.app().select("net.w");
    story.frames(2);
    bring_up(story, kPanel);
  }
  ~FileStory() { fs::current_path(before_); }

  void write(const std::vector<float>& w) const {
    using core::test::bytes_of;
    const std::vector<std::int32_t> b{1, 2};
    const std::vector<float> other{9, 9, 9};
    folder_.write("expected.npz", core::test::zip({{"w.npy", core::test::npy("<f4", "(2, 3)", bytes_of(w)), false},
                                                   {"b.npy", core::test::npy("<i4", "(2,)", bytes_of(b)), true},
                                                   {"other.npy", core::test::npy("<f4", "(3,)", bytes_of(other)), false}}));
  }
  // Chosen in the browser that the panel's button opens.
  void choose() {
    story.act([](ImGuiTestContext* ui) {
      ui->ItemClick("//Compare/Compare with a file …");
      ui->Yield(2);
    });
    CHECK(story.app().panels().files.shown);
    story.act([&](ImGuiTestContext* ui) {
      ui->ItemInputValue("//###browser/##path", (folder_ / "expected.npz").c_str());
      ui->Yield(2);
    });
    REQUIRE(story.wait_for([&] { return sides().file.snapshot != nullptr; }));
    story.frames(2);
  }
  [[nodiscard]] bool compared() {
    return story.wait_for([&] { return panel().found.has_value() && !panel().text.verdict.empty(); });
  }
  app::ComparePanelState& panel() { return story.app().panels().compare; }
  const app::ComparedSides& sides() { return story.app().compared_sides(); }
  [[nodiscard]] std::string path() const { return folder_ / "expected.npz"; }

  Story story{{}, false};

 private:
  TemporaryFolder folder_;
  fs::path before_;
  std::vector<float> w_, b_;
};

}  // namespace

TEST_CASE("a live tensor is compared with the tensor of a file that has its name", "[window][compare][files]") {
  FileStory s;
  s.choose();
  CHECK_FALSE(s.story.app().moment().of_file);  // the tensors on the screen stay
  CHECK(s.sides().b.when == "of the file expected.npz");
  REQUIRE(s.compared());
  CHECK(s.panel().text.verdict == "Different: 1 of 6 values differ (16.67 %), the first at [1, 0].");
  CHECK(s.panel().found->absolute.size == 0.5);
  REQUIRE(s.panel().grid.cells.size() == 6);
  CHECK(s.panel().grid.cells[3].a.text == "4.0");
  CHECK(s.story.wait_for([&] { return s.panel().grid.cells[3].b.text == "4.5"; }));  // a busy machine reads the file later

  // The picture of the difference, and the search.
  s.panel().as_pictures = true;
  REQUIRE(s.story.wait_for([&] {
    const auto& pane = s.panel().pictures.panes[static_cast<std::size_t>(app::ComparePicture::difference)];
    return pane.said.starts_with("computed on all 6 values");
  }));
  s.story.app().commands().push(app::command::FindMismatch{});
  REQUIRE(s.story.wait_for([&] { return s.story.app().pinned().element == 3u; }));
  CHECK(s.story.app().pinned().tensor == s.story.app().selected());

  // Another live tensor: the file's of that name, of another dtype and unpacked.
  s.story.app().select("net.b");
  s.story.frames(2);
  CHECK(s.sides().b.exists());
  REQUIRE(s.compared());
  CHECK_THAT(s.panel().text.verdict, ContainsSubstring("Equal"));

  // None has the name: one is chosen by hand, whose shape does not fit.
  s.story.app().select("net.new");
  CHECK_THAT(s.story.text_of_frame(), ContainsSubstring("expected.npz holds no tensor of the name net.new"));
  s.story.app().commands().push(app::command::CompareWithFileTensor{2});
  s.story.frames(2);
  CHECK_THAT(s.story.text_of_frame(), ContainsSubstring("the shapes differ"));

  // Ctrl+click takes the place of the file.
  s.story.app().commands().push(app::command::CompareTensor{*s.story.app().index()->find("net.b")});
  s.story.frames(2);
  CHECK(s.sides().both_shown());
  REQUIRE(s.compared());
  s.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/Compare with a file …"); });  // is offered again
}

TEST_CASE("a compared file that changes, becomes shorter or goes away is said", "[window][compare][files]") {
  FileStory s;
  s.choose();
  REQUIRE(s.compared());
  CHECK(s.sides().file.warning.empty());
  const auto warns = [&](const std::string& words) {
    return s.story.wait_for([&] { return s.sides().file.warning.find(words) != std::string::npos; });
  };
  fs::resize_file(s.path(), 40);
  // Mapped pages behind the end of the file are gone; the rest of its last page reads as zeros. Neither ends the program.
  s.story.app().commands().push(app::command::Ask{app::ActionId::compare_values});
  CHECK(warns("expected.npz became shorter after it was opened"));
  CHECK_THAT(s.story.text_of_frame(), ContainsSubstring("expected.npz became shorter after it was opened"));

  s.write({1, 2, 3, 4, 5, 6});
  CHECK(warns("expected.npz was changed after it was opened"));
  s.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/Open it again"); });
  REQUIRE(s.story.wait_for([&] { return s.sides().file.snapshot != nullptr && s.sides().file.warning.empty(); }));
  REQUIRE(s.story.wait_for([&] { return s.panel().found && s.panel().found->different == 0; }));

  fs::remove(s.path());
  CHECK(warns("expected.npz was removed or renamed"));
  s.write({0, 0, 0, 0, 0, 0});
  CHECK(warns("Another file is called expected.npz by now"));
  CHECK(s.panel().grid.cells[3].b.text == "4.0");  // still the one that was opened

  s.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/Close the file"); });
  s.story.frames(2);
  CHECK(s.sides().file.path.empty());
  CHECK_FALSE(s.sides().b.exists());
}

TEST_CASE("a file to compare with that is none is refused in words", "[window][compare][files]") {
  FileStory s;
  TemporaryFolder folder;
  s.story.app().commands().push(app::command::CompareWithFile{folder.write("broken.npy", "no array")});
  REQUIRE(s.story.wait_for([&] { return !s.story.app().notices().all().empty(); }));
  CHECK_THAT(s.story.app().notices().all().back().text, ContainsSubstring("broken.npy: "));
  s.story.frames(2);
  CHECK(s.sides().file.path.empty());
}

}  // namespace dlscope::tests
