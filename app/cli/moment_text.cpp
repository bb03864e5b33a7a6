#include "app/cli/moment_text.h"

#include <fmt/format.h>

#include "app/cli/plain_text.h"

namespace dlscope::app {
namespace {

using core::Outcome;
using core::Scanned;

// How the process went before its tensors could be looked for. "": that is not known.
std::string how_it_went(const RunReport& found) {
  if (!found.why_no_end.empty()) return found.why_no_end;
  switch (found.outcome.outcome) {
    case Outcome::crashed:
      return "the script's process crashed";
    case Outcome::timeout:
      return "the script did not stop in time";
    case Outcome::interrupted:
      return "the script was interrupted and did not stop in time";
    default:
      break;
  }
  if (found.scan_end == ScanEnd::failed) return "the scan after the script ended without a result";
  return found.scan_end == ScanEnd::lost ? "the process ended while its tensors were described" : "";
}

// "line 5 of train.py, in main() (hit 2)"
std::string place_of(const core::Snapshot& snapshot, const core::StopInfo& at) {
  std::string_view file = snapshot.str(at.file);
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  std::string text = fmt::format("line {} of {}", at.line, file);
  const std::string_view function = snapshot.str(at.function), thread = snapshot.str(at.thread);
  if (function != "<module>" && !function.empty()) text += fmt::format(", in {}()", function);
  if (thread != "MainThread" && !thread.empty()) text += fmt::format(", in the thread {}", thread);
  return text + fmt::format(", hit {}", at.hit);
}

std::string stop_text(const core::Snapshot& snapshot, std::string_view asked) {
  const core::StopInfo& at = snapshot.info.stop;
  if (at.line == 0) return {};
  const bool returns = asked.substr(0, asked.find('#')).ends_with(":return");
  const char* const how = asked.empty() ? "at dlscope.stop()," : returns ? "before a return," : "before";
  return plain_text(fmt::format("Stopped {} {}: the script was ended there.", how, place_of(snapshot, at))) + "\n\n";
}

}  // namespace

std::string why_not_of_the_end(const RunReport& found) {
  const bool nothing = found.scanned == Scanned::none || !found.snapshot;
  if (!nothing && found.scanned != Scanned::earlier) return {};
  const std::string how = how_it_went(found);
  return (nothing ? "nothing was scanned" : "only an earlier dlscope.report() of the script's was scanned") +
         (how.empty() ? how : ": " + how);
}

std::string moment_text(const RunReport& found, std::string_view asked) {
  if (found.scanned == Scanned::stop && found.snapshot) return stop_text(*found.snapshot, asked);
  std::string why = why_not_of_the_end(found);
  if (why.empty()) return {};
  if (found.scanned == Scanned::earlier && found.snapshot) {
    const std::string how = how_it_went(found);
    why = "These tables are from the script's last dlscope.report(), not from its end" + (how.empty() ? how : ": " + how);
    return plain_text(why) + ".\n\n";
  }
  why.front() = 'N';
  return plain_text(why) + ".\n";
}

}  // namespace dlscope::app
