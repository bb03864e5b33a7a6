#include "app/cli/headless_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/cli/stoppable_work.h"
#include "core/inventory/snapshot_builder.h"

namespace dlscope::app {

core::SnapshotPtr with_events(core::SnapshotPtr found, const std::vector<std::string>& texts,
                              const std::optional<core::PythonFacts>& python) {
  if (texts.empty()) return found;
  auto whole = found ? std::make_shared<core::Snapshot>(*found) : core::SnapshotBuilder{}.finish();
  const auto add_text = [&](const std::string& text) {
    const core::TextRef ref{static_cast<std::uint32_t>(whole->text.size()), static_cast<std::uint32_t>(text.size())};
    whole->text.insert(whole->text.end(), text.begin(), text.end());
    return ref;
  };
  if (!found && python) {
    whole->info.python_version = add_text(python->version);
    whole->info.python_executable = add_text(python->executable);
    whole->info.python_prefix = add_text(python->prefix);
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  for (const std::string& text : texts) {
    core::EventRecord event;
    event.t_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    event.kind = core::EventKind::script;
    event.text = add_text(text);
    whole->events.push_back(event);
  }
  return whole;
}

std::optional<core::wire::Stopped> stop_of(const core::Snapshot& snapshot, std::string_view asked, std::string_view script) {
  const core::StopInfo& at = snapshot.info.stop;
  if (snapshot.info.scanned != core::Scanned::stop || at.line == 0) return std::nullopt;
  core::wire::Stopped stop;
  stop.stop = 1;
  const bool returns = asked.substr(0, asked.find('#')).ends_with(":return");
  stop.reason = returns ? core::wire::StopReason::returns : core::wire::StopReason::breakpoint;
  stop.thread = snapshot.str(at.thread);
  const bool is_top_level = snapshot.str(at.function) == "<module>" && snapshot.str(at.file) == script;  // nothing has called it
  stop.frames = {{.function = std::string(snapshot.str(at.function)),
                  .path = std::string(snapshot.str(at.file)),
                  .line = at.line,
                  .user = true,
                  .heading = is_top_level ? "" : "The stop; its callers are not in a picture"}};
  for (const core::FrameRecord& caller : snapshot.frames) {
    if (caller.depth == 0) continue;  // the one that stands
    stop.frames.front().heading = "The stop, and the script's functions that called it";
    stop.frames.push_back({.function = std::string(snapshot.str(caller.function)),
                           .path = std::string(snapshot.str(caller.file)),
                           .line = caller.line,
                           .user = true});
  }
  return stop;
}

std::vector<core::PairProbe> probes_of(const core::Proof& proof, const std::vector<core::ProofPair>& pairs) {
  std::vector<core::PairProbe> probes;
  for (std::size_t i = 0; i < std::min(pairs.size(), proof.steps.size()); ++i)
    probes.push_back({std::min(pairs[i].from, pairs[i].to), std::max(pairs[i].from, pairs[i].to), proof.steps[i].probe});
  std::ranges::sort(probes, {}, [](const core::PairProbe& each) { return std::pair(each.a, each.b); });
  return probes;
}

namespace {

struct Writing {
  OutputFile file;
  ReportParts parts;
  core::Result<void> written;

  void write(const std::function<void()>& moves) {
    core::ReportInput input;
    input.snapshot = parts.snapshot.get();
    input.run = parts.run;
    input.scanned = parts.scanned;
    input.python = parts.python;
    if (parts.proof) input.proof = &*parts.proof;
    input.probes = parts.probes;
    written = file.write([&](const OutputFile::Sink& sink) {
      const core::JsonSink counted = [&](std::string_view piece) {
        moves();
        return sink(piece);
      };
      return core::write_report(input, counted);
    });
  }
};

}  // namespace

core::Result<void> write_report(OutputFile file, const std::string& path, ReportParts parts,
                                std::optional<std::chrono::milliseconds> stalls) {
  const auto writing = std::make_shared<Writing>(Writing{std::move(file), std::move(parts), {}});
  const auto write = [writing](const std::function<void()>& moves) { writing->write(moves); };
  if (!stalls) {
    write([] {});
  } else if (!ends_unless_stalled(*stalls, write)) {
    return core::fail(core::ErrorKind::environment, path + " cannot be written: it does not answer");
  }
  return std::move(writing->written);
}

}  // namespace dlscope::app
