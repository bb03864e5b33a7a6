// Runtime: what the embed side keeps for the life of a process: the reader of its own memory, where snapshots go, and
// what happened that a report should tell. One per process, made at first use, never destroyed.
// thread: the GIL is held for everything here.
#pragma once

#include <sys/types.h>

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
  std::string why;  // the call that asked for it
};

class Runtime {
 public:
  // Of this process: a forked child gets its own reader.
  [[nodiscard]] static Runtime& get();

  // Never null: where the system allows no reading at all, a reader that reads nothing (and reader_problem() says why).
  [[nodiscard]] const core::MemoryReader& reader();
  [[nodiscard]] const std::string& reader_problem() const { return reader_problem_; }

  // Set by the host. dlscope.report() hands its snapshot over, so that a script which dies later has shown something.
  std::function<void(core::SnapshotPtr, core::Scanned)> publish;
  // The newest that the viewer was sent: the next analysis takes over what has not changed since. Null outside a host.
  core::SnapshotPtr published;
  // The run that snapshots belong to; the host counts.
  std::uint64_t run = 0;

  // Remembers at most kMaxEvents; later ones are dropped and counted.
  void note(core::EventKind kind, std::string text);
  // The ledger of copies: never cleared, at most kMaxCopies; later ones are counted together.
  void note_copy(Copy copy);
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }
  // Writes events, copies, Python's facts, the revision, the libraries' versions and the devices into a builder.
  void describe_process(core::SnapshotBuilder& builder, core::Scanned scanned);
  void clear_events();

  static constexpr std::size_t kMaxEvents = 10'000, kMaxCopies = 10'000;

 private:
  Runtime() = default;
  void describe_copies(core::SnapshotBuilder& builder) const;
  std::unique_ptr<core::MemoryReader> reader_;
  pid_t reader_pid_ = 0;
  std::string reader_problem_;
  std::vector<Event> events_;
  std::uint64_t dropped_events_ = 0;
  std::vector<Copy> copies_;
  Copy more_copies_;  // those over the limit: bytes and time together
  std::uint64_t more_copies_count_ = 0;
  std::uint64_t revision_ = 0;
  // Looking the devices up takes longer than a small scan: the answer of less than a second ago is used again.
  core::DeviceSurvey survey_;
  std::int64_t survey_ns_ = 0;
};

}  // namespace dlscope::embed
