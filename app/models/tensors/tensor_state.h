// The moment a snapshot was taken, what has happened in its process since, and what that means for each tensor. A description is
// true of its moment only: code that ran later may have freed the memory and put other data there. So bytes read now are the
// tensor's only while a lease holds it, or while no code has run. Other threads of the script, and callbacks of its windows, may
// run at any time: what they may have changed is still read and shown, and it is said that it may have changed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inventory/record.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

enum class TensorState : std::uint8_t {
  held,        // a lease keeps its memory alive: the bytes there are this tensor's
  current,     // scanned, and no code has run since that the viewer sent or resumed; others may have (Moment::others_ran)
  not_held,    // code runs or has run since: other data may lie at its address
  dead,        // its process has ended: nothing can be read
  past,        // of a past moment: other data may be at its address now, which is not read
  remembered,  // of a past moment, and its bytes were copied then: the copy is read
};

// What has happened since the snapshot was taken.
enum class Since : std::uint8_t {
  nothing,
  running,       // code runs right now
  ran,           // code has run
  crashed,       // the process crashed; its memory may still be readable
  ended,         // the process ended, or another one has taken its place
  looked_again,  // a past moment is shown: Python is not asked, and only remembered bytes are read
};

// Why nothing that needs Python can be done with the tensors of a file.
inline constexpr const char* kNoPythonHoldsIt = "This is a file: no Python holds it.";
// Why nothing can be done with the tensors of a past moment.
inline constexpr const char* kSeenThen =
    "This is a moment of the past: what was described then is kept, and the bytes of remembered tensors. Go back to now (Escape) "
    "to ask for more.";

inline constexpr const char* kReportIsOfNow =
    "A report is about the last run and what it left. Go back to now (Escape) to save one.";

// Where the values of a file's tensors are: mapped from the file or, where they are compressed there, unpacked into memory.
struct FileTensors {
  std::size_t mapped = 0, unpacked = 0;
  std::size_t undescribed = 0;  // dlscope cannot read them
  friend bool operator==(const FileTensors&, const FileTensors&) = default;
};
[[nodiscard]] FileTensors count_file_tensors(const core::Snapshot& snapshot);
// "2 tensors, mapped and not copied"; "3 tensors: 2 mapped, 1 unpacked into memory".
[[nodiscard]] std::string file_tensors_text(const FileTensors& tensors);

// The moment of one snapshot.
struct Moment {
  std::uint64_t run = 0;  // the last run before the scan; 0: none
  Since since = Since::nothing;
  std::uint64_t since_run = 0;   // running, ran, crashed: the later run; equal to `run`: scanned within that run
  bool at_stop = false;          // the scan was made at a stop. With `nothing`: the script still stands there
  bool others_ran = false;       // with `nothing`: other threads, callbacks of windows or signal handlers of the process have run since
  bool of_file = false;          // tensors of a file that the viewer has opened: no process has them
  FileTensors file = {};         // with of_file
  std::uint64_t code_began = 0;  // rises when code begins or resumes: between two moments with the same number, no code ran

  friend bool operator==(const Moment&, const Moment&) = default;
};

// Which tensors of a snapshot a lease holds.
class HeldTensors {
 public:
  HeldTensors() = default;
  explicit HeldTensors(std::vector<std::uint32_t> ids);
  [[nodiscard]] bool contains(std::uint32_t tensor) const;
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] const std::vector<std::uint32_t>& ids() const { return ids_; }  // sorted
  friend bool operator==(const HeldTensors&, const HeldTensors&) = default;

 private:
  std::vector<std::uint32_t> ids_;  // sorted
};

// held: a lease holds it or, in a past moment, its bytes were remembered.
[[nodiscard]] TensorState state_of(const Moment& moment, bool held);
// Whether the bytes at its address are known to be the tensor's own, so that they may be compared with earlier ones.
[[nodiscard]] inline bool bytes_are_its_own(TensorState state) {
  return state == TensorState::held || state == TensorState::current || state == TensorState::remembered;
}
// The same, and no other thread can have changed or freed them meanwhile.
[[nodiscard]] inline bool surely_its_own(const Moment& moment, TensorState state) {
  return bytes_are_its_own(state) && (state != TensorState::current || !moment.others_ran);
}
// Whether other data may be at its address now: such a tensor is drawn hatched. A past moment is drawn as it was.
[[nodiscard]] inline bool may_be_anothers(TensorState state) { return !bytes_are_its_own(state) && state != TensorState::past; }
// The same of any of several; costs no more than the held ones.
[[nodiscard]] bool any_may_be_anothers(const Moment& moment, const HeldTensors& held, std::span<const std::uint32_t> tensors);
// Whether nothing at all has run since the snapshot was taken, as far as is known.
[[nodiscard]] inline bool nothing_ran(const Moment& moment) { return moment.since == Since::nothing && !moment.others_ran; }
[[nodiscard]] inline bool may_be_out_of_date(const Moment& moment) {
  return moment.since != Since::nothing && moment.since != Since::looked_again;
}
// Whether reading its bytes makes sense.
[[nodiscard]] inline bool may_be_read(TensorState state) {
  return state != TensorState::dead && state != TensorState::past;
}

// The rules for all views and commands: what may be done with the tensors of a moment.
// Whether the memory of the process, or of the file, may be read at the addresses of this snapshot.
[[nodiscard]] inline bool may_read_memory(const Moment& moment) {
  return moment.since != Since::ended && moment.since != Since::looked_again;
}
// Why Python may not be asked about these tensors; null: it may.
[[nodiscard]] inline const char* why_not_asked(const Moment& moment) {
  if (moment.since == Since::looked_again) return kSeenThen;
  return moment.of_file ? kNoPythonHoldsIt : nullptr;
}
// Why a tensor in this state may not be read, as a sentence with what would help; "": it may.
[[nodiscard]] std::string why_not_read(const Moment& moment, TensorState state);

// "as of run 8", "as of run 8; run 9 is running". "" for a snapshot before any run when nothing has run since.
[[nodiscard]] std::string moment_description(const Moment& moment);
// The same with its consequence, for a tooltip.
[[nodiscard]] std::string moment_meaning(const Moment& moment);
// What has happened after the snapshot was taken: "run 9 crashed"; "" where nothing has.
[[nodiscard]] std::string since_description(const Moment& moment);
// "live", "held", "not held since run 9 began", "its process has ended", "in a file".
[[nodiscard]] std::string state_text(const Moment& moment, TensorState state);
// The same in a word or two, for a line without room: "process ended", "crashed since". No two states that differ in what may be
// believed have the same words.
[[nodiscard]] const char* brief_state_text(const Moment& moment, TensorState state);
// What the state means, in one or two sentences. is_copied: of the tensor; in a file, whether it was unpacked.
[[nodiscard]] std::string state_meaning(const Moment& moment, TensorState state, core::Tri is_copied = core::Tri::unknown);

// Timeline: the events of the window's processes, one after the other. From these it derives the moment of a snapshot. Run
// numbers rise across processes.
class Timeline {
 public:
  // The process that a snapshot arriving now belongs to. Rises with each one started.
  [[nodiscard]] std::uint64_t process() const { return process_; }
  void process_leaves();  // it was killed or is being replaced: it can no longer be read
  void process_started();
  void process_crashed();
  void process_ended();
  void run_began(std::uint64_t run);
  void run_ended(std::uint64_t run = 0);  // 0: the one that began last
  // The run stands still at a stop, and goes on. Runs between the two are console lines.
  void stopped();
  void resumed();
  void snapshot_came(std::uint64_t revision);
  void other_code_ran();  // other threads, callbacks of windows: since the newest snapshot

  // process: process() at the time the snapshot arrived.
  [[nodiscard]] Moment moment_of(const core::SnapshotInfo& info, std::uint64_t process) const;
  [[nodiscard]] bool code_runs() const { return running_; }
  [[nodiscard]] std::uint64_t code_began() const { return code_began_; }  // as in Moment

 private:
  enum class Process : std::uint8_t { alive, crashed, ended };
  std::uint64_t process_ = 0;
  Process state_ = Process::alive;
  std::uint64_t last_run_ = 0;
  bool running_ = false;
  bool at_stop_ = false, stopped_in_run_ = false;
  std::uint64_t code_began_ = 0;
  // The newest snapshot; and the newest one taken before code last ran.
  std::optional<std::uint64_t> seen_revision_, passed_revision_;
  std::optional<std::uint64_t> others_revision_;  // the newest one taken before other code last ran
};

}  // namespace dlscope::app
