// A run without a window: checks everything before the script runs, runs it under supervision, then writes the report, the
// picture, the tables and the verdicts on the expectations.
#pragma once

#include <functional>

#include "app/cli/options.h"
#include "app/cli/standard_streams.h"
#include "app/window/screenshot.h"

namespace dlscope::app {

// How pictures are made, passed in so that this folder needs no OpenGL; null functions: this program was built without it.
struct PictureMaker {
  std::function<core::Result<std::string>()> probe;  // whether a picture can be made here: with what, or why not
  std::function<core::Result<void>(const ScreenshotRequest&)> write;
};

// thread: main, before any other thread exists (it blocks signals, and threads inherit that). Returns the exit code.
[[nodiscard]] int run_headless(const Options& options, const StandardStreams& streams, const PictureMaker& pictures);

// The same for a tensor file in the place of the script: nothing is run, no Python is looked for. A signal and --timeout stop the
// look at its values; what was found until then is reported.
[[nodiscard]] int show_file_headless(const Options& options, const StandardStreams& streams, const PictureMaker& pictures);

// What is wrong with the files named on the command line, in one line (exit code 2), before anything is run or written: the
// script does not exist, or two names are one file. nullopt: nothing.
[[nodiscard]] std::optional<std::string> wrong_files(const Options& options);

// The exit code where they are wrong, which is said, or do not answer within the --timeout of a headless run. nullopt: go on.
[[nodiscard]] std::optional<int> refused_files(const Options& options);

}  // namespace dlscope::app
