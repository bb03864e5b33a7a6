// A plain way to pick a script or a place to save one: a path to type and the folder's entries to click. Never modal.
#pragma once

#include <string>
#include <vector>

#include "app/models/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct FileBrowserState {
  enum class Purpose { open, save };
  struct Entry {
    std::string name;
    bool folder = false;
  };
  bool shown = false;
  Purpose purpose = Purpose::open;
  std::string folder;          // absolute
  std::string path;            // as typed
  std::vector<Entry> entries;  // folders first; scripts only; read when the folder changes, bounded
  bool cut_short = false;      // more entries than are listed
  std::string error;           // why the folder could not be read
};

// Opens the browser beside `near` (a file or folder; "": the working directory).
void show_file_browser(FileBrowserState& state, FileBrowserState::Purpose purpose, const std::string& near);

void draw_file_browser(const FrameContext& context, FileBrowserState& state, Commands& commands);

}  // namespace dlscope::app
