// WorkingFolder: what the window writes into the working folder (exports, proofs) goes into one of the test's own.
// thread: the test's, one at a time: the working folder is the process's.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace dlscope::tests {

class WorkingFolder {
 public:
  WorkingFolder() { std::filesystem::current_path(folder_ / ""); }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  // The path of a file whose name begins and ends so; "": there is none.
  [[nodiscard]] std::string file(const std::string& prefix, const std::string& suffix) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "")) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix) && name.ends_with(suffix)) return entry.path().string();
    }
    return {};
  }
  [[nodiscard]] std::string file_with(const std::string& suffix) const { return file("", suffix); }
  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryFolder folder_;
};

}  // namespace dlscope::tests
