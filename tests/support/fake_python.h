// FakePython: a folder with a bin/python that answers dlscope's questions as told (app/host/python_probe.h). No other environment
// is active while it lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace dlscope::tests {

// The fields of an answer; octal escapes are printf's, as in "\\063.12.1" for 3.12.1. executable: "": the one that was run.
[[nodiscard]] inline std::string python_answer(const char* implementation = "cpython", const char* version = "\\063.12.1",
                                               const char* free_threaded = "", const char* executable = "") {
  const std::string end = "\\0";
  return executable + end + implementation + end + version + end + "/x\\0\\0\\0\\0\\0\\0\\0" + free_threaded + end;
}

class FakePython {
 public:
  explicit FakePython(const std::string& answer = python_answer()) {
    folder_.write("bin/python", "#!/bin/sh\nprintf 'dlscope\\0" + answer + "'\n");
    std::filesystem::permissions(executable(), std::filesystem::perms::owner_all);
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) ::unsetenv(name);
  }
  // Makes the folder a virtual environment.
  void make_environment() const { folder_.write("pyvenv.cfg", "version = 3.12.1\n"); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path executable() const { return folder_.path() / "bin/python"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace dlscope::tests
