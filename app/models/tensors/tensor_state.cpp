#include "app/models/tensors/tensor_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

std::string seen_text(const Moment& moment) {
  return moment.run == 0 ? std::string("as of before the first run") : fmt::format("as of run {}", moment.run);
}

constexpr const char* kOthersRan = "other threads of its process, windows or signal handlers have run";

// The scan was made within a run, which went on.
bool within_run(const Moment& moment) { return moment.since_run == moment.run; }

std::string file_meaning(core::Tri is_copied) {
  switch (is_copied) {
    case core::Tri::yes:
      return "It is compressed in the file, so it was unpacked into memory when the file was opened, and is read from there. No "
             "Python holds it. What another program writes into the file is not seen.";
    case core::Tri::no:
      return "Read from the file each time this is drawn: it is mapped, not copied, and no Python holds it. Another program "
             "may change it meanwhile.";
    case core::Tri::unknown:
      break;
  }
  return "It is in the file, but dlscope cannot read its values. No Python holds it.";
}

}  // namespace

FileTensors count_file_tensors(const core::Snapshot& snapshot) {
  FileTensors out;
  for (const core::TensorRecord& tensor : snapshot.tensors) {
    if (!tensor.has_metadata)
      ++out.undescribed;
    else
      ++(tensor.is_copied == core::Tri::yes ? out.unpacked : out.mapped);
  }
  return out;
}

std::string file_tensors_text(const FileTensors& tensors) {
  const std::size_t all = tensors.mapped + tensors.unpacked + tensors.undescribed;
  const std::string count = counted(all, "tensor", "tensors");
  if (all == tensors.mapped) return count + ", mapped and not copied";
  if (all == tensors.unpacked) return count + ", unpacked into memory";
  std::string out;
  const auto add = [&](std::size_t some, const char* how) {
    if (some > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", some, how);
  };
  add(tensors.mapped, "mapped");
  add(tensors.unpacked, "unpacked into memory");
  add(tensors.undescribed, "that dlscope cannot read");
  return count + ": " + out;
}

HeldTensors::HeldTensors(std::vector<std::uint32_t> ids) : ids_(std::move(ids)) { std::ranges::sort(ids_); }

bool HeldTensors::contains(std::uint32_t tensor) const { return std::ranges::binary_search(ids_, tensor); }

TensorState state_of(const Moment& moment, bool held) {
  if (moment.since == Since::looked_again) return held ? TensorState::remembered : TensorState::past;
  if (moment.since == Since::ended) return TensorState::dead;
  if (moment.since == Since::nothing) return held ? TensorState::held : TensorState::current;
  return held ? TensorState::held : TensorState::not_held;
}

bool any_may_be_anothers(const Moment& moment, const HeldTensors& held, std::span<const std::uint32_t> tensors) {
  if (!may_be_anothers(state_of(moment, false))) return false;
  if (tensors.size() > held.ids().size()) return true;
  return std::ranges::any_of(tensors, [&](std::uint32_t id) { return may_be_anothers(state_of(moment, held.contains(id))); });
}

std::string since_description(const Moment& moment) {
  switch (moment.since) {
    case Since::running:
      return within_run(moment) ? "the run went on" : fmt::format("run {} is running", moment.since_run);
    case Since::ran:
      return within_run(moment) ? "the run went on" : fmt::format("run {} has run", moment.since_run);
    case Since::crashed:
      return within_run(moment) ? "Python crashed" : fmt::format("run {} crashed", moment.since_run);
    case Since::ended:
      return "that Python has ended";
    case Since::nothing:
      return moment.others_ran ? kOthersRan : "";
    case Since::looked_again:
      break;
  }
  return {};
}

std::string moment_description(const Moment& moment) {
  switch (moment.since) {
    case Since::nothing: {
      const std::string since = moment.others_ran ? fmt::format("; {} since", kOthersRan) : std::string();
      if (moment.at_stop) return fmt::format("as of this stop in run {}{}", moment.run, since);
      return moment.run == 0 && since.empty() ? std::string() : seen_text(moment) + since;
    }
    case Since::running:
      return within_run(moment) ? fmt::format("as of the middle of run {}, which goes on", moment.run)
                                : seen_text(moment) + "; " + since_description(moment);
    case Since::ran:
      return within_run(moment) ? fmt::format("as of the middle of run {}", moment.run)
                                : fmt::format("{}; run {} has run since", seen_text(moment), moment.since_run);
    case Since::crashed:
      return within_run(moment) ? fmt::format("{}; then Python crashed", seen_text(moment))
                                : seen_text(moment) + "; " + since_description(moment);
    case Since::ended:
      return seen_text(moment) + "; " + since_description(moment);
    case Since::looked_again:
      return "then: " + (moment.at_stop                          ? fmt::format("at a stop in run {}", moment.run)
                         : within_run(moment) && moment.run != 0 ? fmt::format("as of the middle of run {}", moment.run)
                                                                 : seen_text(moment));
  }
  return {};
}

std::string moment_meaning(const Moment& moment) {
  if (moment.of_file) return fmt::format("The file has {}. Nothing in it was run.", file_tensors_text(moment.file));
  switch (moment.since) {
    case Since::nothing:
      if (moment.others_ran)
        return fmt::format(
            "The tensors are listed as they were last seen. Since then {}: they may have changed values or freed memory. Scan the "
            "tensors again (Run menu) to see them as they are.",
            kOthersRan);
      if (moment.at_stop)
        return "The tensors are listed as they are at the stop. The script is stopped there; its other threads may run.";
      return "The tensors are listed as they were when the run was over. No code has run since.";
    case Since::ended:
      return "The tensors are listed as they were last seen. Their process has ended, so nothing of them is read.";
    case Since::looked_again:
      return "You are looking back: the tensors are listed as they were described at this moment. Only remembered tensors have "
             "their bytes of that moment; what is at the addresses now is not read. Back to now (Escape) shows the newest "
             "snapshot.";
    default:
      return "The tensors are listed as they were last seen. Code that ran since may have freed their memory: other data may be "
             "at their addresses now. Where that may be so, it is drawn hatched.";
  }
}

std::string state_text(const Moment& moment, TensorState state) {
  switch (state) {
    case TensorState::held:
      return "held";
    case TensorState::current:
      if (moment.of_file) return "in a file";
      if (moment.others_ran) return "live: other code runs, values may have changed";
      return moment.at_stop ? "seen at this stop" : "live";
    case TensorState::not_held:
      if (moment.since == Since::crashed) return "not held since the crash";
      return within_run(moment) ? std::string("not held, and the run went on")
                                : fmt::format("not held since run {} began", moment.since_run);
    case TensorState::dead:
      return "its process has ended";
    case TensorState::past:
      return "then";
    case TensorState::remembered:
      return "then, remembered";
  }
  return {};
}

const char* brief_state_text(const Moment& moment, TensorState state) {
  switch (state) {
    case TensorState::held:
      return "held";
    case TensorState::current:
      if (moment.of_file) return "in a file";
      if (moment.others_ran) return "others ran";
      return moment.at_stop ? "at this stop" : "live";
    case TensorState::not_held:
      return moment.since == Since::crashed ? "crashed since" : "not held";
    case TensorState::dead:
      return "process ended";
    case TensorState::past:
      return "then";
    case TensorState::remembered:
      return "remembered";
  }
  return "";
}

std::string state_meaning(const Moment& moment, TensorState state, core::Tri is_copied) {
  switch (state) {
    case TensorState::held:
      return "dlscope holds the tensor, so its memory stays its own whatever the script does. The bytes are read each time they "
             "are drawn.";
    case TensorState::current:
      if (moment.of_file) return file_meaning(is_copied);
      if (moment.others_ran)
        return fmt::format(
            "Read from the script's memory each time this is drawn. Since the tensor was described {}: they may have changed its "
            "values, or have freed it: dlscope does not keep it alive. Scan the tensors again (Run menu), or hold it.",
            kOthersRan);
      if (moment.at_stop)
        return "Read from the script's memory each time this is drawn. The script has been stopped since the tensor was "
               "described; its other threads may run. dlscope does not keep it alive: when the script continues, it may free it.";
      return "Read from the script's memory each time this is drawn. No code has run since the tensor was described. dlscope "
             "does not keep it alive: the next run may free it.";
    case TensorState::not_held:
      return fmt::format(
          "Described {}. dlscope does not keep the tensor alive, so other data of another type may be at its address now. It is "
          "shown hatched, and is not compared with what was there before.",
          moment_description(moment));
    case TensorState::dead:
      return fmt::format("Described {}. There is nothing left to read.", moment_description(moment));
    case TensorState::past:
      return moment_meaning(moment);
    case TensorState::remembered:
      return "These are the bytes it held at this moment: it was remembered, so they were copied then. What is at its address "
             "now is not read. Back to now (Escape) shows the newest snapshot.";
  }
  return {};
}

std::string why_not_read(const Moment& moment, TensorState state) {
  if (may_read_memory(moment) || state == TensorState::remembered) return {};
  if (moment.since == Since::looked_again)
    return fmt::format(
        "Nothing is read: you are looking back ({}), and these bytes were not kept. Remember this tensor to have them at "
        "later moments; Back to now (Escape) shows what there is.",
        moment_description(moment));
  return fmt::format("Nothing is read: seen {}. Run the script to see it again.", moment_description(moment));
}

// --- what has happened ------------------------------------------------------------------------------------------------

void Timeline::process_leaves() {
  state_ = Process::ended;
  running_ = at_stop_ = stopped_in_run_ = false;
}

void Timeline::process_started() {
  ++process_;
  state_ = Process::alive;
  last_run_ = 0;
  running_ = at_stop_ = stopped_in_run_ = false;
  seen_revision_.reset();
  passed_revision_.reset();
  others_revision_.reset();
}

void Timeline::process_crashed() {
  if (state_ == Process::alive) state_ = Process::crashed;
  running_ = at_stop_ = false;
}

void Timeline::process_ended() { process_leaves(); }

void Timeline::run_began(std::uint64_t run) {
  if (!at_stop_) last_run_ = std::max(last_run_, run);
  if (!std::exchange(running_, true)) {
    passed_revision_ = seen_revision_;
    ++code_began_;
  }
  if (!at_stop_) stopped_in_run_ = false;
}

void Timeline::run_ended(std::uint64_t run) {
  running_ = false;
  if (at_stop_ && run != 0 && run != last_run_) return;  // a console line
  if (stopped_in_run_) passed_revision_ = seen_revision_;
  at_stop_ = false;
}

void Timeline::stopped() {
  running_ = false;
  at_stop_ = stopped_in_run_ = true;
  passed_revision_ = seen_revision_;
}

void Timeline::resumed() {
  if (!std::exchange(at_stop_, false)) return;
  ++code_began_;
  running_ = true;
}

void Timeline::snapshot_came(std::uint64_t revision) { seen_revision_ = revision; }

void Timeline::other_code_ran() { others_revision_ = seen_revision_; }

Moment Timeline::moment_of(const core::SnapshotInfo& info, std::uint64_t process) const {
  Moment out{.run = info.run, .since = Since::nothing, .since_run = std::max(last_run_, info.run), .code_began = code_began_};
  const bool went_on = info.scanned == core::Scanned::earlier;
  // What was seen at a stop holds until the code resumes; what was seen before the stop does not.
  const bool passed = passed_revision_ && info.revision <= *passed_revision_;
  if (process != process_ || state_ == Process::ended)
    out.since = Since::ended;
  else if (state_ == Process::crashed)
    out.since = Since::crashed;
  else if (running_)
    out.since = Since::running;
  else if (at_stop_ && !passed)
    out.at_stop = true;
  else if (last_run_ > info.run || went_on || at_stop_ || (stopped_in_run_ && passed))
    out.since = Since::ran;
  if (out.since == Since::nothing || out.since == Since::ended) out.since_run = 0;
  out.others_ran = out.since == Since::nothing && others_revision_ && info.revision <= *others_revision_;
  return out;
}

}  // namespace dlscope::app
