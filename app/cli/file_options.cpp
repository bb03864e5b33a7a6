#include "app/cli/file_options.h"

#include <fmt/format.h>

#include "app/models/exchange/stream_picture.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {
namespace {

// The first option given that is about running a script; "": none.
std::string_view needs_a_script(const Options& options) {
  if (options.run_asked) return "--run";
  if (!options.python.empty() && core::is_tensor_file(options.script)) return "--python";  // beside a recording it may be used
  if (!options.stop_at.empty()) return "--at";
  return options.prove ? "--prove" : "";
}

// Without a window a recording has one answer: its verdict, printed.
bool asks_more_than_the_verdict(const Options& options) {
  const bool window = options.width || options.height || options.scale || options.layout || options.theme;
  return window || !options.report.empty() || !options.screenshot.empty() || !options.expectations.empty() ||
         !options.python.empty() || options.timeout_seconds || options.statistics != core::StatisticsMethod::none;
}

}  // namespace

std::optional<std::string> wrong_for_file(const Options& options) {
  const bool is_trace = is_stream_trace_file(options.script);
  if (!is_trace && !core::is_tensor_file(options.script)) return std::nullopt;
  const std::string what = options.script + (is_trace ? " is a recording of streams" : " is a file of tensors");
  if (!options.arguments.empty()) return what + ": it takes no arguments, and options come before it";
  if (const auto option = needs_a_script(options); !option.empty())
    return fmt::format("{}, which runs nothing: {} needs a script", what, option);
  if (is_trace && options.headless && asks_more_than_the_verdict(options)) return what + ": of the options it takes --headless only";
  return std::nullopt;
}

}  // namespace dlscope::app
