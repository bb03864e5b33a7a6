// Files that the window writes, read back by NumPy.
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

// Exports go into the working folder: into one of its own.
class WorkingFolder {
 public:
  WorkingFolder() { fs::current_path(folder_ / ""); }
  ~WorkingFolder() { fs::current_path(before_); }
  [[nodiscard]] std::string file_with(const std::string& suffix) const {
    for (const auto& entry : fs::directory_iterator(folder_ / "")) {
      if (entry.path().string().ends_with(suffix)) return entry.path().string();
    }
    return {};
  }

 private:
  fs::path before_ = fs::current_path();
  TemporaryFolder folder_;
};

const char* const kScript =
    "import numpy as np\n"
    "rng = np.random.default_rng(7)\n"
    "x = rng.integers(0, 2**32, 2000, dtype=np.uint32).view(np.float32).reshape(4, 25, 20)\n"  // every bit pattern: NaN and subnormal too
    "y = x.transpose(2, 0, 1)\n";

}  // namespace

TEST_CASE("NumPy reads the CSV of a tensor and of a slice back, every value the same", "[window][files][real]") {
  LiveWindow window;
  const WorkingFolder folder;
  window.run(kScript);
  window.app().select("y");
  window.story().frames(3);
  const auto check = [&](const app::command::ExportTensor& request, const std::string& wanted, const char* size) {
    REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
    window.app().commands().push(request);
    REQUIRE(window.story().wait_for([&] { return !folder.file_with(".csv").empty(); }));
    const std::string path = folder.file_with(".csv");
    const std::string line = "z = np.loadtxt('" + path + "', delimiter=',', dtype=np.float32); w = " + wanted +
                             "; print(np.array_equal(z, w.reshape(z.shape), equal_nan=True), z.shape)";
    window.story().act([&](ImGuiTestContext* ui) {
      ui->WindowFocus("//Output");
      ui->Yield(2);
      ui->ItemClick("//Output/##input");
      ui->KeyCharsReplace(line.c_str());
      ui->KeyPress(ImGuiKey_Enter);
    });
    INFO(window.app().output().all_text());
    CHECK(window.wait_for_output(size));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    fs::remove(path);
  };
  check({core::TensorFileFormat::csv}, "y", "True (80, 25)");
  check({core::TensorFileFormat::csv, app::AxisMapping{.row = 1, .column = 2, .fixed = {3, 0, 0}}}, "y[3]", "True (4, 25)");
}

}  // namespace dlscope::tests
