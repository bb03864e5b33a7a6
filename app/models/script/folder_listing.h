// The entries of a folder for the file browser: folders, scripts and tensor files. Read by a worker, because a folder may be huge
// or not answer (network).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace dlscope::app {

struct FolderEntry {
  std::string name;
  bool folder = false;
};

struct FolderListing {
  std::string folder;                // as requested
  std::vector<FolderEntry> entries;  // folders first, in natural order; bounded
  bool cut_short = false;            // there are more
  std::string error;                 // why it could not be read; "": it was
};

// thread: a worker.
[[nodiscard]] FolderListing list_folder(const std::string& folder, const std::stop_token& stop = {});

}  // namespace dlscope::app
