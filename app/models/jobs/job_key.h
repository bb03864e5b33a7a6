// What a job is about. Of jobs with the same key only the newest answer is wanted: a newer one replaces an older one.
#pragma once

#include <cstdint>

namespace dlscope::app {

enum class JobKind : std::uint8_t {
  none,               // no key: every one of them is wanted
  index,              // a snapshot is prepared for the views
  past_index,         // one of the past is
  differences,        // between two kept moments
  since_when,         // the kept moments are searched
  rows,               // the table's rows are ordered
  places,             // the palette looks for a name
  values,             // subject: which task of the values view
  bytes,              // subject: 0 the search, 1 the copy of the hex view
  open_script,        // a script is read
  read_source,        // a file of the stack is read
  keep_text,          // changed text is kept for a crash
  folder,             // the file browser reads a folder
  settings,           // settings are written
  find_in_script,     // the places that match
  replace_in_script,  // and what they become
  pythons,            // the Pythons of this machine are listed
  start_host,
  tensor_file,  // a file of tensors is opened
  task,  // subject: its id in the list of tasks
};

struct JobKey {
  JobKind kind = JobKind::none;
  std::uint64_t subject = 0;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

}  // namespace dlscope::app
