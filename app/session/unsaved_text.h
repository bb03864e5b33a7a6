// Text that would otherwise be lost: the script as typed, kept in the state folder until it is saved or given up. One file
// per process; the files of processes that are gone are what the next start offers again. Nothing here is ever run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct UnsavedText {
  std::string file;         // where it is kept
  std::string script_path;  // the script it belongs to; "": none
  std::string text;
};

// $XDG_STATE_HOME/dlscope, else ~/.local/state/dlscope. "" when there is neither.
[[nodiscard]] std::string state_folder();

class UnsavedTextStore {
 public:
  // folder "": nothing is kept. pid: whose text this is; of this process.
  UnsavedTextStore(std::string folder, pid_t pid);

  // Replaces what this process keeps; 0600, in one step. thread: a worker. Fails with words (full disk).
  [[nodiscard]] core::Result<void> keep(const std::string& script_path, const std::string& text) const;
  // This process has nothing to keep any more.
  void forget() const;
  // Texts of processes that are gone, the newest first, at most a few.
  [[nodiscard]] std::vector<UnsavedText> left_behind() const;
  // One of them was taken up again, or refused.
  static void remove(const UnsavedText& text);

 private:
  [[nodiscard]] std::string own_file() const;
  std::string folder_;
  pid_t pid_;
};

}  // namespace dlscope::app
