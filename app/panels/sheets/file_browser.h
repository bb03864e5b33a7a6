// A simple file browser to open or save a script, or to choose the file to compare with: a path to type, and the folder's entries
// to click. Not modal.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/models/script/folder_listing.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct FileBrowserState {
  enum class Purpose { open, save, compare };
  bool shown = false;
  Purpose purpose = Purpose::open;
  std::string folder;     // the folder to list
  std::string path;       // as typed
  FolderListing listing;  // read by a worker; of another folder until it has read `folder`
  bool asked = false;     // `folder` was requested from the worker
};

// Opens the browser at `near` (a file or folder; "": the working directory).
void show_file_browser(FileBrowserState& state, FileBrowserState::Purpose purpose, const std::string& near);

void draw_file_browser(const FrameContext& context, FileBrowserState& state, Commands& commands);

}  // namespace dlscope::app
