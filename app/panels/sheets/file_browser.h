// A plain way to pick a script or a place to save one: a path to type and the folder's entries to click. Never modal.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/models/script/folder_listing.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct FileBrowserState {
  enum class Purpose { open, save };
  bool shown = false;
  Purpose purpose = Purpose::open;
  std::string folder;     // what is to be listed
  std::string path;       // as typed
  FolderListing listing;  // read by the worker; of another folder while `folder` is being read
  bool asked = false;     // the worker was asked for `folder`
};

// Opens the browser beside `near` (a file or folder; "": the working directory).
void show_file_browser(FileBrowserState& state, FileBrowserState::Purpose purpose, const std::string& near);

void draw_file_browser(const FrameContext& context, FileBrowserState& state, Commands& commands);

}  // namespace dlscope::app
