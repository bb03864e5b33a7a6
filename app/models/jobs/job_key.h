// What a job is about. Of jobs with the same key only the newest result is used: posting a job replaces earlier ones.
#pragma once

#include <cstdint>

namespace dlscope::app {

enum class JobKind : std::uint8_t {
  none,               // no key: the result of each is used
  index,              // prepares a snapshot for the views
  past_index,         // the same for a past moment
  newest_marks,       // marks the newest snapshot against a chosen moment
  differences,        // finds differences between two kept moments
  since_when,         // searches the kept moments
  rows,               // orders the rows of the table
  places,             // finds a name for the palette
  values,             // subject: which task of the values view
  bytes,              // subject: 0 the search, 1 the copy of the hex view
  open_script,        // reads a script
  read_source,        // reads a source file for the stack
  keep_text,          // stores unsaved text in case of a crash
  folder,             // reads a folder for the file browser
  settings,           // writes the settings
  find_in_script,     // finds the matches
  replace_in_script,  // replaces them
  pythons,            // lists the Pythons of this machine
  try_python,         // looks at one before it is taken
  compared_file,      // looks whether it has changed since it was opened
  start_host,
  task,         // subject: its id in the list of tasks
};

struct JobKey {
  JobKind kind = JobKind::none;
  std::uint64_t subject = 0;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

}  // namespace dlscope::app
