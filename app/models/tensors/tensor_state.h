// As of when: the moment a snapshot was taken, what has happened in its process since, and what that means for each tensor.
// A description holds for its moment. Code that ran later may have freed the memory and put other data there, so that bytes
// read now are the tensor's only while it is held, or while nothing has run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/inventory/record.h"

namespace dlscope::app {

enum class TensorState : std::uint8_t {
  held,      // a lease keeps its memory: the bytes there are its own
  current,   // seen, and no code has run since
  not_held,  // code runs or has run since: other data may lie at its address
  gone,      // no name reaches it since a run
  dead,      // its process has ended: there is nothing to read
  then,      // of a moment that is looked back at: what lies at its address now is not what it describes, and is not read
  remembered,  // likewise, and its bytes of then were kept: those are read
};

// What has happened since the snapshot was taken.
enum class Since : std::uint8_t {
  nothing,
  running,  // code runs right now
  ran,      // code has run
  crashed,  // the process crashed; its memory may still be readable
  ended,    // the process ended, or another one has taken its place
  looked_again,  // a kept moment that is looked back at: nothing of it is asked, and only what was remembered is read
};

// Why nothing that needs Python can be done with the tensors of a file.
inline constexpr const char* kNoPythonHoldsIt = "This is a file: no Python holds it.";
// Why nothing can be done with those of a moment that is looked back at.
inline constexpr const char* kSeenThen =
    "This is a moment of the past: what was described then is kept, and the bytes of remembered tensors. Go back to now (Escape) "
    "to ask for more.";

inline constexpr const char* kReportIsOfNow =
    "A report is about the last run and what it left. Go back to now (Escape) to save one.";

// The moment of one snapshot.
struct Moment {
  std::uint64_t run = 0;  // the last run the snapshot knows; 0: none
  Since since = Since::nothing;
  std::uint64_t since_run = 0;  // of running, ran and crashed: the run that came after; `run` itself: the scan was made within it
  bool at_stop = false;  // with `nothing`: the script stands at a stop, and was looked at there; with `looked_again`: it stood
  bool of_file = false;         // of tensors that no process made: the viewer has mapped them from a file
  std::uint64_t code_began = 0;  // rises whenever code begins or goes on: no code ran between two moments where it is equal

  friend bool operator==(const Moment&, const Moment&) = default;
};

// Which tensors of a snapshot a lease holds.
class HeldTensors {
 public:
  HeldTensors() = default;
  explicit HeldTensors(std::vector<std::uint32_t> ids);
  [[nodiscard]] bool contains(std::uint32_t tensor) const;
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  friend bool operator==(const HeldTensors&, const HeldTensors&) = default;

 private:
  std::vector<std::uint32_t> ids_;  // sorted
};

// Of a tensor that the snapshot of this moment lists. held: by a lease; of a moment that is looked back at: its bytes were remembered.
[[nodiscard]] TensorState state_of(const Moment& moment, bool held);
// Whether the bytes at its address are known to be its own: they may be compared with those read before.
[[nodiscard]] inline bool bytes_are_its_own(TensorState state) {
  return state == TensorState::held || state == TensorState::current || state == TensorState::remembered;
}
// Whether other data may lie at its address by now: drawn hatched. What is looked back at is drawn as it was.
[[nodiscard]] inline bool may_be_anothers(TensorState state) { return !bytes_are_its_own(state) && state != TensorState::then; }
[[nodiscard]] inline bool may_be_out_of_date(const Moment& moment) {
  return moment.since != Since::nothing && moment.since != Since::looked_again;
}
// Whether reading makes sense at all.
[[nodiscard]] inline bool may_be_read(TensorState state) {
  return state != TensorState::dead && state != TensorState::gone && state != TensorState::then;
}

// The rules that decide for every view and every command what may be done with the tensors of a moment.
// Whether the memory of the process, or of the file, may be read by their descriptions.
[[nodiscard]] inline bool may_read_memory(const Moment& moment) {
  return moment.since != Since::ended && moment.since != Since::looked_again;
}
// Why Python may not be asked about them; null: it may.
[[nodiscard]] inline const char* why_not_asked(const Moment& moment) {
  if (moment.since == Since::looked_again) return kSeenThen;
  return moment.of_file ? kNoPythonHoldsIt : nullptr;
}
// Where a tensor in this state may not be read, as a sentence with the way out; "" where it may.
[[nodiscard]] std::string why_not_read(const Moment& moment, TensorState state);

// "as of run 8", "as of run 8; run 9 is running". "" for a snapshot of no run after which nothing happened.
[[nodiscard]] std::string moment_description(const Moment& moment);
// The same with what follows from it, for a tooltip.
[[nodiscard]] std::string moment_meaning(const Moment& moment);
// "live", "held", "not held since run 9 began", "its process has ended", "in a file".
[[nodiscard]] std::string state_text(const Moment& moment, TensorState state);
// One or two sentences.
[[nodiscard]] std::string state_meaning(const Moment& moment, TensorState state);

// What the window learns of its processes, one after the other, and the moment of a snapshot by that. Numbers of runs rise
// over all processes.
class Timeline {
 public:
  // Which process a snapshot that arrives now is of. Rises with every one started.
  [[nodiscard]] std::uint64_t process() const { return process_; }
  void process_leaves();  // it was killed, or is replaced: nothing of it can be read from here on
  void process_started();
  void process_crashed();
  void process_ended();
  void run_began(std::uint64_t run);
  void run_ended(std::uint64_t run = 0);  // 0: the one that began last
  // The run stands still inside the user's code, and goes on. Runs that begin and end between are lines of the console.
  void stopped();
  void resumed();
  void snapshot_came(std::uint64_t revision);

  // process: process() at the time the snapshot arrived.
  [[nodiscard]] Moment moment_of(const core::SnapshotInfo& info, std::uint64_t process) const;

 private:
  enum class Process : std::uint8_t { alive, crashed, ended };
  std::uint64_t process_ = 0;
  Process state_ = Process::alive;
  std::uint64_t last_run_ = 0;
  bool running_ = false;
  bool at_stop_ = false, stopped_in_run_ = false;
  std::uint64_t code_began_ = 0;
  // The newest snapshot; and the newest that was taken before the code ran last.
  std::optional<std::uint64_t> seen_revision_, passed_revision_;
};

}  // namespace dlscope::app
