#include "app/cli/stream_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/plain_text.h"
#include "app/cli/standard_streams.h"
#include "app/files/write_all.h"
#include "app/models/exchange/stream_picture.h"

namespace dlscope::app {
namespace {

std::string verdict_text(const StreamView& view) {
  std::string text;
  const auto line = [&text](std::string_view wording) { text += plain_text(wording) + "\n"; };
  if (!view.trace.title.empty()) line(view.trace.title);
  line(recording_text(view.trace));
  line(stream_verdict_word(view.verdict));
  for (const core::OrderPair& pair : view.verdict.pairs) {
    line(order_text(view.trace, pair));
    if (const std::string advice = race_advice(view.trace, pair); !advice.empty()) line(advice);
  }
  return text;
}

}  // namespace

int judge_trace_headless(const Options& options) {
  const auto view = read_stream_view(options.script);
  if (!view) {
    say(view.error().message);
    return kExitUsage;
  }
  const auto written = write_all(STDOUT_FILENO, verdict_text(*view));
  if (!written && written.error().kind != core::ErrorKind::cancelled) {  // cancelled: a closed pipe
    say("the verdict could not be printed: " + written.error().message);
    return kExitEnvironment;
  }
  return view->verdict.race ? kExitExpectation : kExitFine;
}

}  // namespace dlscope::app
