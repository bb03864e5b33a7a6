// The entries of a folder that a file browser shows: folders, scripts and files of tensors. Read by a worker: a folder may hang (a network) or be huge.
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
  std::string folder;                // as asked
  std::vector<FolderEntry> entries;  // folders first, in natural order; bounded
  bool cut_short = false;            // there are more
  std::string error;                 // why it could not be read
};

// thread: a worker.
[[nodiscard]] FolderListing list_folder(const std::string& folder, const std::stop_token& stop = {});

}  // namespace dlscope::app
