// Runtime: the embed side's state for the life of the process: the receiver of snapshots, and events for the report. One per
// process, created on first use, never destroyed.
// thread: all functions need the GIL, except note(): any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/devices/device_survey.h"
#include "core/inventory/snapshot_builder.h"
#include "core/memory/memory_reader.h"

namespace dlscope::embed {

struct Event {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC
  core::EventKind kind{};
  std::string text;
};

// A copy that dlscope made, or had a library make.
struct Copy {
  std::string from, to;  // "numpy.ndarray on cpu"
  std::uint64_t bytes = 0, ns = 0;
  std::string why;  // the call that requested it
  std::string path = {};       // as in core::CopyRecord, like the next
  std::uint64_t plain_ns = 0;
};

// While it exists, copies that this thread makes are not entered in the ledger: rehearsals of ours, with memory of ours.
class CopiesUnrecorded {
 public:
  CopiesUnrecorded();
  ~CopiesUnrecorded();
  CopiesUnrecorded(const CopiesUnrecorded&) = delete;
  CopiesUnrecorded& operator=(const CopiesUnrecorded&) = delete;
};

class Runtime {
 public:
  // The one of this process.
  [[nodiscard]] static Runtime& get();

  // own_memory(), also in a forked child. When the system forbids reading it reads nothing, and reader_problem() says why.
  [[nodiscard]] static const core::MemoryReader& reader();
  [[nodiscard]] static const std::string& reader_problem();

  // Set by the host: publishes a snapshot of dlscope.report(), so that a script that dies later has shown something.
  std::function<void(core::SnapshotPtr, core::Scanned)> publish;
  // The newest snapshot sent to the viewer: the next analysis reuses what has not changed. Null outside a host.
  core::SnapshotPtr published;
  // The run that snapshots belong to; set by the host.
  std::uint64_t run = 0;

  // Keeps at most kMaxEvents; later ones are dropped and counted. Copies and what happens to capsules may be very many: these are
  // dropped when half of that is kept, so that what goes wrong later still finds its place.
  void note(core::EventKind kind, std::string text);
  // The ledger of copies, each an event, too: never cleared, at most kMaxCopies entries; later ones are summed up in one.
  void note_copy(Copy copy);
  // How often this thread has entered a copy.
  [[nodiscard]] static std::uint64_t copies_of_this_thread();
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }
  // Writes events, copies, facts about Python, the revision, library versions and devices into `builder`.
  void describe_process(core::SnapshotBuilder& builder, core::Scanned scanned);
  void clear_events();

  static constexpr std::size_t kMaxEvents = 10'000, kMaxCopies = 10'000;

 private:
  Runtime() = default;
  void describe_copies(core::SnapshotBuilder& builder) const;
  std::vector<Event> events_;         // under the mutex of events, like the next
  std::uint64_t dropped_events_ = 0;
  std::vector<Copy> copies_;
  Copy more_copies_;  // the ones beyond the limit, with summed bytes and time
  std::uint64_t more_copies_count_ = 0;
  std::uint64_t revision_ = 0;
  // Looking up devices takes longer than a small scan: an answer less than a second old is reused.
  core::DeviceSurvey survey_;
  std::int64_t survey_ns_ = 0;
};

}  // namespace dlscope::embed
