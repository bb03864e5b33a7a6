// The kinds of work the application gives its worker: a newer job of a kind replaces an older one.
#pragma once

namespace dlscope::app::job {

inline constexpr int kIndex = 1;            // a snapshot is being prepared for the views
inline constexpr int kRows = 2;             // the table's rows are being ordered
inline constexpr int kKeep = 3;             // changed text is being kept for a crash
inline constexpr int kFind = 4;             // the palette looks for a name
inline constexpr int kFolder = 5;           // the file browser reads a folder
inline constexpr int kOpen = 6;             // a script is being opened
inline constexpr int kSettings = 7;         // settings are being written
inline constexpr int kFindInScript = 8;     // places that match what is searched for
inline constexpr int kReplaceInScript = 9;  // and what they become
inline constexpr int kValues = 10;          // plus the kind of the task: values are being read

}  // namespace dlscope::app::job
