// Comparing values, opening and exporting files in the window, without a Python.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/models/exchange/loading_line.h"
#include "core/files/tensor_file.h"
#include "tests/app/window/stories/story_windows.h"
#include "tests/core/files/file_bytes.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

// A folder of its own, which is the working folder as long as it lives.
class WorkingFolder {
 public:
  WorkingFolder() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  // Two tensors of 2 x 3 float32: "a", and "b" with another value at [1, 0].
  [[nodiscard]] std::string two_tensors() const {
    std::string header =
        R"({"__metadata__":{"format":"pt","run":"a\u202eb"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[24,48]}})";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = header.size();
    std::string content(reinterpret_cast<const char*>(&size), 8);
    content += header;
    float values[12] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3.5F, 4, 5};
    content.append(reinterpret_cast<const char*>(values), sizeof values);
    const std::string path = folder_ / "two.safetensors";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // The only file whose name ends like that.
  [[nodiscard]] std::string only(const std::string& suffix) const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().string();
      if (!name.ends_with(suffix)) continue;
      CHECK(found.empty());
      found = name;
    }
    return found;
  }

 private:
  TemporaryFolder folder_;
  fs::path before_;
};

// Zeros. Other threads than the one that made it wait until it is open.
class GatedMemory final : public core::MemoryReader {
 public:
  std::size_t read(core::Address, std::span<std::byte> out) const override {
    while (std::this_thread::get_id() != owner_ && !open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::ranges::fill(out, std::byte{0});
    return out.size();
  }
  std::atomic<bool> open = true;

 private:
  std::thread::id owner_ = std::this_thread::get_id();
};

void open(Story& story, const std::string& path) {
  story.app().commands().push(app::command::OpenScript{path});
  REQUIRE(story.wait_for([&] { return story.app().index() && story.app().index()->find("a"); }));
  story.frames(2);
}

// Runs the script, which leaves the tour's tensors, and waits until they are shown.
void run(Story& story) {
  story.app().run_script();
  story.frames(2);
  auto numbered = std::make_shared<core::Snapshot>(*tour_snapshot());
  numbered->info.run = numbered->info.revision = story.host().runs.back().run;
  story.host().finish(finished(), numbered);
  REQUIRE(story.wait_for([&] { return story.app().index() && story.app().index()->snapshot == numbered; }));
  story.frames(2);
}

void select_both(Story& story) {
  const auto& index = *story.app().index();
  story.app().commands().push(app::command::SelectTensor{*index.find("a")});
  story.app().commands().push(app::command::CompareTensor{*index.find("b")});
  story.frames(2);
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Compare"); });
}

// Of this process.
std::uint64_t resident_bytes() {
  std::uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("a file dropped on the window shows its tensors, which are compared without a Python", "[window][compare]") {
  const WorkingFolder folder;
  Story story({}, false);
  open(story, folder.two_tensors());
  CHECK(story.app().script().text.empty());  // it is no script
  select_both(story);
  auto& panel = story.app().panels().compare;
  REQUIRE(story.wait_for([&] { return panel.found.has_value(); }));
  story.frames(2);
  CHECK(panel.text.verdict == "Different: 1 of 6 values differ (16.67 %), the first at [1, 0].");
  const auto check_values = [](const std::vector<app::SideBySide>& values) {
    REQUIRE(values.size() == 6);
    CHECK(values[3].differs);
    CHECK(values[3].a.text == "3.0");
    CHECK(values[3].b.text == "3.5");
    CHECK_FALSE(values[2].differs);
  };
  check_values(panel.grid.cells);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/As a list"); });
  story.frames(2);
  check_values(panel.rows);
  CHECK(panel.rows[3].difference == "-0.5");
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Go to the first"); });
  CHECK(story.app().pinned().element == 3u);
  CHECK(story.app().pinned().tensor == story.app().selected());

  // With a tolerance they agree.
  panel.tolerance.absolute = 0.5;
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Compare"); });
  REQUIRE(story.wait_for([&] { return panel.found.has_value() && panel.text.tone == app::Tone::good; }));
  CHECK(panel.text.verdict == "Within the tolerance: 1 of 6 values differ (16.67 %), none by more than it allows.");
}

TEST_CASE("with a host the comparison is its task, and its answer is for the question asked last", "[window][compare]") {
  Story story;
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  story.show(tour_snapshot());
  const auto& index = *story.app().index();
  story.app().commands().push(app::command::SelectTensor{*index.find("x")});
  story.app().commands().push(app::command::CompareTensor{*index.find("x")});
  story.frames(2);
  story.app().commands().push(app::command::CompareValues{.tolerance = {.absolute = 0.5}, .broadcast = true});
  story.frames(2);
  CHECK(story.host().work.empty());  // nothing is compared with itself
  std::uint32_t other = core::kNone32;
  for (std::uint32_t id = 0; id < index.size(); ++id)
    if (id != *index.find("x") && index.tensor(id).has_layout) other = id;
  story.app().commands().push(app::command::CompareTensor{other});
  story.frames(2);
  story.app().commands().push(app::command::CompareValues{.tolerance = {.absolute = 0.5}, .broadcast = true});
  story.frames(2);
  REQUIRE(story.host().work.size() == 1);
  const auto& asked = std::get<core::wire::CompareTensors>(story.host().work.back());
  CHECK(asked.b.tensor == other);
  CHECK(asked.broadcast);
  CHECK(asked.tolerance.absolute == 0.5);
  story.host().events.emplace_back(app::HostEvent{
      app::HostWorkEnded{1, core::wire::WorkOutcome::failed, "the shapes differ: (3, 4) and (4,)", core::wire::NoResult{}}});
  story.frames(2);
  CHECK(story.app().panels().compare.problem == "Not compared: the shapes differ: (3, 4) and (4,).");
}

TEST_CASE("what is compared while code runs is not said to be the tensors' own", "[window][compare]") {
  HostWindow window;
  window.story.app().read_memory_with(core::process_reader(0).value());
  window.story.app().commands().push(app::command::CompareTensor{*window.story.app().index()->find("t")});
  window.story.frames(2);
  window.start();
  window.story.app().commands().push(app::command::Ask{app::ActionId::compare_values});
  window.story.frames(6);
  CHECK(window.story.app().panels().compare.ticket > 0);
  CHECK_FALSE(window.story.app().panels().compare.own);
}

TEST_CASE("where a file is shown, it is said how Python gets its tensors, and why there is no Python to run a script",
          "[window][files]") {
  const WorkingFolder folder;
  for (const bool with_host : {true, false}) {
    Story story({}, with_host);
    if (with_host) {
      story.host().found_python();
      story.host().ready();
    }
    story.frames(2);
    open(story, folder.two_tensors());
    bring_up(story, "//Exchange");
    story.frames(6);
    const std::string text = story.text_of_frame();
    CHECK(text.find(app::kNoPythonHoldsIt) != std::string::npos);
    CHECK((text.find("in the console, or in a script.") != std::string::npos) == with_host);
    CHECK((text.find("There is no Python here, because") != std::string::npos) == !with_host);
    std::string copied;
    story.act([&](ImGuiTestContext* ui) {
      ui->ItemClick("//Exchange/**/Copy line");
      copied = ImGui::GetClipboardText();
    });
    CHECK(copied == app::loading_line(folder.two_tensors()));
  }
}

TEST_CASE("a file beside a live Python: nothing about its tensors reaches the host, and the way back is one click",
          "[window][files]") {
  const WorkingFolder folder;
  Story story;
  story.host().found_python();
  story.host().ready();
  story.app().load_text("tour.py", tour_script());
  story.frames(2);
  run(story);
  run(story);
  story.app().select("t");
  story.frames(2);
  const core::SnapshotPtr of_script = story.app().index()->snapshot;
  const std::vector<std::uint32_t> colours = story.app().index()->colours;
  REQUIRE(story.app().index()->marks.before != nullptr);
  const auto asked = [&] {
    return story.host().questions.size() + story.host().work.size() + static_cast<std::size_t>(story.host().scans);
  };

  open(story, folder.two_tensors());
  const std::size_t before = asked();
  CHECK(story.app().moment().of_file);
  CHECK(story.app().selected() != core::kNone32);
  select_both(story);
  for (const app::ActionId act : {app::ActionId::memory_hold, app::ActionId::memory_pin, app::ActionId::memory_release,
                                  app::ActionId::exchange_selected, app::ActionId::copy_selected, app::ActionId::convert_selected,
                                  app::ActionId::prove_add}) {
    story.app().commands().push(app::command::Ask{act});
    story.frames(2);
  }
  // Also where a command comes by another way than its action.
  story.app().commands().push(app::command::HoldMemory{});
  story.app().commands().push(app::command::CopyTensor{});
  story.frames(2);
  CHECK(story.app().notices().all().back().text == app::kNoPythonHoldsIt);
  // What reads values does it here.
  REQUIRE(story.wait_for([&] { return story.app().panels().compare.found.has_value(); }));
  story.app().commands().push(app::command::ComputeStatistics{story.app().selected()});
  REQUIRE(story.wait_for([&] {
    const auto* read = story.app().statistics().find(story.app().selected());
    return read != nullptr && read->exact();
  }));
  CHECK(story.app().statistics().find(story.app().selected())->found->summary.max.as_double() == 5);
  story.app().commands().push(app::command::SearchValues{.sought = core::SearchedValue::equal, .text = "4"});
  REQUIRE(story.wait_for([&] { return story.app().notices().all().back().text.starts_with("a: 1 of 6 values is equal to 4; it is a["); }));
  for (const char* panel : {"//Inspector", "//Exchange", "//Statistics", "//Values", "//Memory"}) {
    story.act([&](ImGuiTestContext* ui) { ui->WindowFocus(panel); });
    story.frames(8);
  }
  CHECK(asked() == before);

  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->Yield(2);
    ui->ItemClick("//Tensors/Back to the script's tensors");
  });
  REQUIRE(story.wait_for([&] { return story.app().index()->snapshot == of_script; }));
  CHECK_FALSE(story.app().moment().of_file);
  CHECK(story.app().selected() == *story.app().index()->find("t"));
  CHECK(story.app().index()->marks.before != nullptr);
  CHECK(story.app().index()->colours == colours);

  // The next run shows the script's tensors, too.
  open(story, folder.two_tensors());
  run(story);
  CHECK_FALSE(story.app().moment().of_file);
  CHECK(story.app().selected() == *story.app().index()->find("t"));
  CHECK(story.app().index()->marks.before == of_script);
  CHECK(story.app().index()->colours == colours);

  // The history knows what the run before the file changed.
  story.app().commands().push(app::command::ShowMoment{2});
  REQUIRE(story.wait_for([&] { return story.app().moment().since == app::Since::looked_again; }));
  CHECK(story.app().index()->marks.before != nullptr);

  // A file that is opened meanwhile leads back to the newest run.
  open(story, folder.two_tensors());
  story.app().commands().push(app::command::LeaveFile{});
  REQUIRE(story.wait_for([&] { return !story.app().moment().of_file; }));
  CHECK(story.app().index()->snapshot->info.run == 3);
  CHECK(story.app().index()->marks.before == of_script);
  CHECK(story.app().selected() == *story.app().index()->find("t"));
}

TEST_CASE("before anything was run there is a way back from a file, to nothing", "[window][files]") {
  const WorkingFolder folder;
  Story story;
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  open(story, folder.two_tensors());
  story.app().commands().push(app::command::Ask{app::ActionId::tensors_leave});
  REQUIRE(story.wait_for([&] { return story.app().index()->size() == 0; }));
  CHECK_FALSE(story.app().moment().of_file);
  story.app().commands().push(app::command::LeaveFile{});
  story.frames(2);
}

TEST_CASE("a compressed array is said to be unpacked into memory, and one that is not to be mapped", "[window][files]") {
  const WorkingFolder folder;
  const std::vector<float> values{1, 2, 3};
  const std::string array = core::test::npy("<f4", "(3,)", core::test::bytes_of(values));
  std::ofstream("both.npz", std::ios::binary) << core::test::zip({{"a.npy", array, true}, {"b.npy", array, false}});
  Story story({}, false);
  open(story, "both.npz");
  const app::Moment moment = story.app().moment();
  CHECK(moment.file == app::FileTensors{.mapped = 1, .unpacked = 1});
  CHECK(std::ranges::any_of(story.app().notices().logged(), [](const auto& notice) {
    return notice.text == "both.npz was opened: 2 tensors: 1 mapped, 1 unpacked into memory. Nothing in it was run.";
  }));
  const auto meaning = [&](const char* name) {
    const auto& index = *story.app().index();
    return app::state_meaning(moment, app::TensorState::current, index.tensor(*index.find(name)).is_copied);
  };
  CHECK_THAT(meaning("a"), Catch::Matchers::ContainsSubstring("unpacked into memory"));
  CHECK_THAT(meaning("b"), Catch::Matchers::ContainsSubstring("mapped, not copied"));
}

TEST_CASE("a sparse file of 6 GB is shown at once, and takes no memory", "[window][files]") {
  const WorkingFolder folder;
  const std::string path = "sparse.npy";
  {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1536, 1048576), }";
    header.resize(118 - 1, ' ');
    std::ofstream(path, std::ios::binary) << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
    fs::resize_file(path, 128 + (std::uintmax_t{6} << 30));
  }
  Story story({}, false);
  const std::uint64_t before = resident_bytes();
  story.app().commands().push(app::command::OpenScript{path});
  REQUIRE(story.wait_for([&] { return story.app().index() && story.app().index()->find("sparse"); }));
  for (const char* panel : {"//Layout", "//Memory", "//Compare", "//Values", "//Statistics"}) {
    story.act([&](ImGuiTestContext* ui) { ui->WindowFocus(panel); });
    story.frames(4);
  }
  CHECK(resident_bytes() - before < (std::uint64_t{300} << 20));
  CHECK(story.app().tasks().all().empty());  // nothing of that size is read without being asked for
}

TEST_CASE("what a file says of itself is a section of the inspector", "[window][files]") {
  const WorkingFolder folder;
  Story story({}, false);
  open(story, folder.two_tensors());
  story.app().commands().push(app::command::SelectTensor{*story.app().index()->find("b")});
  story.frames(2);
  bool shown = false;
  story.act([&](ImGuiTestContext* ui) {
    ui->WindowFocus("//Inspector");
    ui->Yield(2);
    shown = ui->ItemInfo("//Inspector/**/Metadata of the file##head", ImGuiTestOpFlags_NoError).ID != 0;
  });
  CHECK(shown);
  story.app().commands().push(app::command::LeaveFile{});
  story.frames(3);
}

TEST_CASE("a tensor is exported and opened again; what a format cannot hold is said", "[window][files]") {
  const WorkingFolder folder;
  Story story({}, false);
  open(story, folder.two_tensors());
  story.app().commands().push(app::command::SelectTensor{*story.app().index()->find("b")});
  story.frames(2);
  story.app().commands().push(app::command::ExportTensor{core::TensorFileFormat::npy});
  REQUIRE(story.wait_for([&] { return !folder.only(".npy").empty(); }));
  const auto opened = core::TensorFile::open(folder.only(".npy"));
  REQUIRE(opened);
  CHECK(opened->tensors()[0].layout.shape == std::vector<std::int64_t>{2, 3});
  float value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(opened->tensors()[0].address + 12), 4);
  CHECK(value == 3.5F);
  REQUIRE(story.wait_for([&] { return !story.app().notices().all().empty(); }));
  CHECK_THAT(story.app().notices().all().back().text,
             Catch::Matchers::ContainsSubstring("was exported as ") && Catch::Matchers::ContainsSubstring("/b-"));
}

TEST_CASE("an export during which code begins to run says so", "[window][files]") {
  for (const bool code_runs : {false, true}) {
    const WorkingFolder folder;
    const auto memory = std::make_shared<GatedMemory>();
    Story story({}, true);
    story.app().load_text("a.py", tour_script());
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    story.app().read_memory_with(memory);
    run(story);
    story.app().select("x");
    story.frames(2);
    memory->open = false;
    story.app().commands().push(app::command::ExportTensor{core::TensorFileFormat::npy});
    story.frames(2);
    if (code_runs) story.app().run_script();
    story.frames(2);
    memory->open = true;
    const auto told = [&] {
      const auto& all = story.app().notices().all();
      return std::ranges::find_if(all, [](const app::Notice& one) { return one.text.find("was exported as") != one.text.npos; });
    };
    REQUIRE(story.wait_for([&] { return told() != story.app().notices().all().end(); }));
    CHECK(told()->tone == (code_runs ? app::Tone::warn : app::Tone::good));
    CHECK((told()->text.find("Code ran while it was written") != std::string::npos) == code_runs);
  }
}

TEST_CASE("the slice that is shown is exported alone, and says which one it is", "[window][files]") {
  const WorkingFolder folder;
  Story story({}, false);
  open(story, folder.two_tensors());
  story.app().commands().push(app::command::SelectTensor{*story.app().index()->find("b")});
  story.frames(2);
  const auto text_of = [&](app::command::ExportTensor request) {
    story.app().commands().push(std::move(request));
    REQUIRE(story.wait_for([&] { return !folder.only(".csv").empty(); }));
    std::ifstream file(folder.only(".csv"));
    std::string text(std::istreambuf_iterator<char>(file), {});
    fs::remove(folder.only(".csv"));
    return text;
  };
  app::AxisMapping row{.row = -1, .column = 1, .fixed = {1, 0}};
  CHECK(text_of({core::TensorFileFormat::csv, row}) == "# b[1, :], float32, shape (3,)\n3.5\n4.0\n5.0\n");
  CHECK(text_of({core::TensorFileFormat::csv}) == "# b, float32, shape (2, 3)\n0.0,1.0,2.0\n3.5,4.0,5.0\n");
  row.fixed = {1};  // of a tensor with another rank: not one of this one's slices
  CHECK(text_of({core::TensorFileFormat::csv, row}).starts_with("# b, "));
}

TEST_CASE("a file that is none is refused, and what was shown stays", "[window][files]") {
  const WorkingFolder folder;
  Story story({}, false);
  open(story, folder.two_tensors());
  std::ofstream("broken.npy") << "no array";
  story.app().commands().push(app::command::OpenScript{"broken.npy"});
  REQUIRE(story.wait_for([&] { return !story.app().notices().all().empty(); }));
  CHECK_THAT(story.app().notices().all().back().text, Catch::Matchers::StartsWith("broken.npy: "));
  CHECK(story.app().index()->find("a"));
}

TEST_CASE("of several files dropped at once one is shown, and the others are named", "[window][files]") {
  const WorkingFolder folder;
  Story story({}, false);
  story.app().open_dropped({folder.two_tensors(), "other.npy"});
  REQUIRE(story.wait_for([&] { return story.app().index() && story.app().index()->find("a"); }));
  REQUIRE(story.app().notices().all().size() == 1);
  CHECK_THAT(story.app().notices().all().back().text, Catch::Matchers::StartsWith("Not opened: other.npy. "));
}

}  // namespace dlscope::tests
