// A run without a window: everything is checked before the script runs, then it runs under supervision, then the
// report, the picture, the tables and the expectations say what was found.
#pragma once

#include <functional>

#include "app/cli/options.h"
#include "app/cli/standard_streams.h"
#include "app/window/screenshot.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {

// Pictures are another folder's business; null functions: this program was built without it.
struct PictureMaker {
  std::function<core::Result<std::string>()> probe;  // whether one can be made here; in words, with what
  std::function<core::Result<void>(const ScreenshotRequest&)> write;
};

// thread: main, before any other thread exists (signals are blocked for all of them). Returns the exit code.
[[nodiscard]] int run_headless(const Options& options, const StandardStreams& streams, const PictureMaker& pictures);

// The same of a file of tensors: nothing is run, no Python is looked for.
[[nodiscard]] int show_file_headless(const Options& options, const core::TensorFile& file, const StandardStreams& streams,
                                     const PictureMaker& pictures);

// What is wrong with the files the command line names, in one line (exit code 2), before anything is run or written: no
// such script, or two files that are one. nullopt: nothing.
[[nodiscard]] std::optional<std::string> wrong_files(const Options& options);

}  // namespace dlscope::app
