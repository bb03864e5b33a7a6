// Files that the window writes, read back by NumPy.
#include <filesystem>
#include <string>

#include "tests/app/window/real/live_window.h"
#include "tests/app/window/stories/console_line.h"
#include "tests/app/window/stories/working_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

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

TEST_CASE("NumPy reads back what PyTorch means by a conjugated view, and dates and records as they were",
          "[window][files][real]") {
  LiveWindow window;
  const WorkingFolder folder;
  window.run(
      "import numpy as np\n"
      "try:\n"
      "    import torch\n"
      "    y = torch.tensor([1 + 2j, 3 - 4j]).conj()\n"
      "    meant = y.resolve_conj().numpy()\n"
      "except ImportError:\n"
      "    y = meant = np.ones(2)\n"
      "days = np.array(['2024-02-29', 'NaT', '1969-12-31'], 'M8[D]')\n"
      "records = np.zeros(3, np.dtype([('a', 'i4'), ('b', 'f8', (2,))], align=True))\n"
      "records['b'] = [[1, 2], [3, 4], [5, 6]]\n");
  const auto check = [&](const char* name, const std::string& test) {
    REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
    window.app().select(name);
    window.story().frames(3);
    window.app().commands().push(app::command::ExportTensor{core::TensorFileFormat::npy});
    REQUIRE(window.story().wait_for([&] { return !folder.file_with(".npy").empty(); }));
    const std::string path = folder.file_with(".npy");
    const std::string line = "f = np.load('" + path + "'); print('" + name + "', " + test + ")";
    check_line(window, line, std::string(name) + " True");
    fs::remove(path);
  };
  check("y", "np.array_equal(f, meant)");
  check("days", "f.dtype == days.dtype and f.tobytes() == days.tobytes()");
  check("records", "f.dtype.names == ('a', 'b') and f['b'].tolist() == records['b'].tolist()");
}

TEST_CASE("NumPy reads the CSV of big-endian numbers, of int4, of dates and of records back", "[window][files][real]") {
  LiveWindow window;
  const WorkingFolder folder;
  window.run(
      "import numpy as np, csv\n"
      "rng = np.random.default_rng(3)\n"
      "big = rng.integers(0, 2**32, 600, dtype=np.uint32).view('>f4').reshape(30, 20)\n"
      "z = np.array([[1+2j, 3-4j], [np.inf-1j, 0j]], '>c16')\n"
      "try:\n"
      "    import ml_dtypes\n"
      "    small = np.array([[1, -2, 7], [-8, 0, 3]]).astype(ml_dtypes.int4)\n"
      "except ImportError:\n"
      "    pass\n"
      "days = np.array(['2024-02-29', 'NaT', '1969-12-31'], 'M8[D]')\n"
      "names = np.array(['a,b', 'say \"yes\"', 'x' * 80])\n"
      "rows = np.array([(1, 2.5, (3, 4)), (-1, np.nan, (5, 6))], [('a', '>i4'), ('b', 'f8'), ('c', 'u1', (2,))])\n");
  const auto check = [&](const char* name, const std::string& test) {
    if (!window.app().index()->find(name)) return;
    REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
    window.app().select(name);
    window.story().frames(3);
    window.app().commands().push(app::command::ExportTensor{core::TensorFileFormat::csv});
    INFO(name);
    REQUIRE(window.story().wait_for([&] { return !folder.file_with(".csv").empty(); }));
    const std::string path = folder.file_with(".csv");
    const std::string read = "path = '" + path + "'; lines = [line for line in open(path) if line[0] != '#']";
    check_line(window, read + "; print('" + name + "', " + test + ")", std::string(name) + " True");
    fs::remove(path);
  };
  check("big", "np.array_equal(np.loadtxt(path, delimiter=',', dtype=np.float32), big, equal_nan=True)");
  check("z", "np.array_equal(np.loadtxt(path, delimiter=',', dtype=complex), z)");
  check("small", "np.array_equal(np.loadtxt(path, delimiter=',', dtype=int), small.astype(int))");
  check("days", "np.array_equal(np.array([line.strip() for line in lines], 'M8[D]'), days, equal_nan=True)");
  check("names", "[eval(cell) for row in csv.reader(lines) for cell in row] == names.tolist()");
  check("rows", "[eval(cell, {'nan': 0}) for row in csv.reader(lines) for cell in row] == [(1, 2.5, [3, 4]), (-1, 0, [5, 6])]");
}

TEST_CASE("NumPy and safetensors read packed numbers back, and the notice says what stands for them", "[window][files][real]") {
  LiveWindow window;
  const WorkingFolder folder;
  window.run(
      "import numpy as np\n"
      "rng = np.random.default_rng(4)\n"
      "try:\n"
      "    import ml_dtypes\n"
      "    small = rng.integers(-8, 8, (6, 10)).astype(ml_dtypes.int4)\n"
      "    tiny = rng.choice([0, 0.5, 1, 1.5, 2, 3, 4, 6, -6, -0.5], (5, 8)).astype(ml_dtypes.float4_e2m1fn)\n"
      "except ImportError:\n"
      "    pass\n"
      "try:\n"
      "    import torch, safetensors.torch\n"
      "    four = torch.randint(0, 256, (4, 6), dtype=torch.uint8).view(torch.float4_e2m1fn_x2)\n"
      "    raw = four.view(torch.uint8)\n"
      "except (ImportError, AttributeError):\n"
      "    pass\n");
  int checks = 0;
  const auto check = [&](const char* name, core::TensorFileFormat format, const char* ending, const std::string& test, const char* said) {
    if (!window.app().index()->find(name)) return;
    REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
    window.app().select(name);
    window.story().frames(3);
    const auto& notices = window.app().notices().all();
    const std::string before = notices.empty() ? std::string() : notices.back().text;
    window.app().commands().push(app::command::ExportTensor{format});
    INFO(name << ending);
    REQUIRE(window.story().wait_for([&] { return !notices.empty() && notices.back().text != before; }));
    const std::string notice = notices.back().text;
    INFO(notice);
    REQUIRE((notice.find(said) != std::string::npos && notice.find("exported as") != std::string::npos));
    const std::string path = folder.file_with(ending), number = std::to_string(++checks);
    check_line(window, "path = '" + path + "'; print('check " + number + ":', " + test + ")", "check " + number + ": True");
    fs::remove(path);
  };
  using enum core::TensorFileFormat;
  check("small", npy, ".npy", "np.load(path).dtype == np.int8 and np.array_equal(np.load(path), small.astype(np.int8))",
        "each int4 as int8, because NumPy has no numbers of fewer than 8 bits");
  check("tiny", npy, ".npy", "np.load(path).dtype == np.float32 and np.array_equal(np.load(path), tiny.astype(np.float32))",
        "each float4_e2m1fn as float32");
  check("four", safetensors, ".safetensors",
        "(lambda f: f.dtype == four.dtype and torch.equal(f.view(torch.uint8), raw))(safetensors.torch.load_file(path)['four'])", "four (");
  check("four", csv, ".csv",
        "np.array_equal(np.loadtxt(path, delimiter=','), np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])"
        "[np.stack([raw.numpy() & 15, raw.numpy() >> 4], -1).reshape(4, 12)])",
        "four (");
}

}  // namespace dlscope::tests
