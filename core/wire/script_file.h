// The file name in the code objects of a script that has no file, as viewer and host have to agree on it.
#pragma once

namespace dlscope::core::wire {

// Of a script that was never saved, run from a window. Not the "<string>" of `python -c`, which other text has, too (the
// script's own exec(), dataclasses): its lines would be taken for the script's. As the path of a Run in the namespace of the run before
// it says that the text is a part of that script; without a path such a Run is of the console.
inline constexpr const char* kUnsavedScriptFile = "<unsaved script>";
// Of code from the command line, as Python has it.
inline constexpr const char* kCodeFile = "<string>";

}  // namespace dlscope::core::wire
