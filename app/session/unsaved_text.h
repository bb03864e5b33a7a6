// Text that would otherwise be lost: the script as typed, kept in the state folder until it is saved or given up. One file per
// window, under a random name, with a lock beside it that is held for as long as the window lives: process numbers repeat (in
// containers the viewer is always number 1). Files whose lock nobody holds are what the next start offers again. Nothing here is
// ever run.
#pragma once

#include <memory>
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
  // folder "": nothing is kept. Copies keep the same text.
  explicit UnsavedTextStore(std::string folder);

  // Replaces what this window keeps; 0600, in one step. thread: a worker. Fails with words (full disk).
  [[nodiscard]] core::Result<void> keep(const std::string& script_path, const std::string& text) const;
  // This window has nothing to keep any more.
  void forget() const;
  // Texts of windows that are gone, the newest first, at most a few.
  [[nodiscard]] std::vector<UnsavedText> left_behind() const;
  // One of them was taken up again, or refused.
  static void remove(const UnsavedText& text);

 private:
  class Place;
  std::string folder_;
  std::shared_ptr<Place> place_;
};

}  // namespace dlscope::app
