// Unsaved text: a script as typed, stored in the state folder until it is saved or discarded. One file per store with a random
// name, and beside it a lock that is held as long as the store exists. (Process ids would not do: they repeat, and in containers
// the viewer is always number 1.) The next start offers the files whose lock is not held; where locks do not work, those whose
// process is certainly gone (text_owner.h). Nothing in them is ever run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/debug/breakpoint_list.h"
#include "core/base/result.h"

namespace dlscope::app {

struct UnsavedText {
  std::string file = {};         // the file it is stored in
  std::string script_path = {};  // the script it belongs to; "": none
  std::string text = {};
  std::vector<KeptBreakpoint> breakpoints = {};  // of a script without a file; those in files are settings
  std::optional<std::uint64_t> edited_from = {};  // content_hash() of what the script's file had; nullopt: not known
  std::string stored_at = {};  // "2026-11-28 14:05", local time, of what an earlier session left
};

// $XDG_STATE_HOME/dlscope, else ~/.local/state/dlscope, also where HOME is not set; "": the account has no home folder.
[[nodiscard]] std::string state_folder();

class UnsavedTextStore {
 public:
  // folder "": nothing is stored. Copies share the same file.
  explicit UnsavedTextStore(std::string folder);

  // Replaces what is stored, in one step; mode 0600. thread: a worker. Fails with a message (disk full).
  [[nodiscard]] core::Result<void> keep(const UnsavedText& text) const;
  // Removes the stored text.
  void forget() const;
  // The texts of stores that no longer exist, newest first, at most a few. Removes the oldest of many, and all but the newest one
  // after a month.
  [[nodiscard]] std::vector<UnsavedText> left_behind() const;
  // Call when a text was taken over or refused.
  static void remove(const UnsavedText& text);

 private:
  class Place;
  std::string folder_;
  std::shared_ptr<Place> place_;
};

}  // namespace dlscope::app
