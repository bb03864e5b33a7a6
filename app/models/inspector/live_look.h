// LiveLooks: what only Python can tell about the selected tensor: the raw struct and how each protocol answers. Asked lazily,
// one question at a time, kept for as long as the snapshot is shown. Nothing waits for an answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/models/host/host_session.h"
#include "app/models/host/questions.h"
#include "app/models/inspector/struct_answer.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct LiveLook {
  enum class State : std::uint8_t {
    no_python,  // none was ever there: a picture, a recording
    gone,       // the Python of this snapshot crashed, ended or was restarted: these are the last facts
    waits,      // Python is busy; asked when it is idle
    asking,
    stopped,  // the person stopped the question
    failed,   // `error` says why
    done,
  };
  State state = State::no_python;
  std::string error;
  bool anyway = false;  // the person asked for what a scan may not do
  std::optional<StructAnswer> raw;
  std::optional<ProtocolsAnswer> protocols;
};

class LiveLooks {
 public:
  // Once a frame. Returns the question to ask now, if any.
  [[nodiscard]] std::optional<Question> follow(const SnapshotIndex* index, std::uint32_t tensor, const HostSession& host,
                                               const Questions& answers);
  // The tensor in hand once more, with the person's leave where `anyway`.
  void ask_again(bool anyway);

  // Of the tensor followed last; null: none.
  [[nodiscard]] const LiveLook* current() const;
  // Rises whenever current() changes.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  enum class Part : std::uint8_t { raw, protocols };
  void start_over(const SnapshotIndex* index);
  void take(const Reply& reply);
  [[nodiscard]] std::optional<Question> next_question(LiveLook& look, const SnapshotIndex& index);
  void set_state(LiveLook& look, LiveLook::State state);

  core::SnapshotPtr snapshot_;
  bool gone_ = false;  // its Python is not the one that runs now
  std::uint32_t tensor_ = core::kNone32;
  std::map<std::uint32_t, LiveLook> looks_;
  struct Pending {
    std::uint64_t ticket = 0;
    std::uint32_t tensor = core::kNone32;
    Part part{};
  };
  std::optional<Pending> pending_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t revision_ = 0;
};

}  // namespace dlscope::app
