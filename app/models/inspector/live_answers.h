// LiveAnswers: facts that only Python can give about the selected tensor: the raw struct, and the answer of each protocol. Asked on
// demand, one question at a time, and kept as long as the snapshot is shown. Nothing blocks on an answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/models/host/host_session.h"
#include "app/models/host/questions.h"
#include "app/models/inspector/struct_text.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct LiveAnswer {
  enum class State : std::uint8_t {
    no_python,  // there never was one: a picture, a recording
    gone,       // the Python of this snapshot crashed, ended or was restarted: the answers so far stay
    waits,      // Python is busy: asked when it is idle
    asking,
    stopped,  // the person stopped the question
    failed,   // `error` says why
    done,
  };
  State state = State::no_python;
  std::string error;
  bool anyway = false;  // the person allowed what a scan may not do
  std::optional<core::wire::StructAnswer> raw;
  std::optional<core::wire::ProtocolsAnswer> protocols;
};

class LiveAnswers {
 public:
  // Once a frame. Returns the question to ask now, if there is one.
  [[nodiscard]] std::optional<Question> follow(const SnapshotIndex* index, std::uint32_t tensor, const HostSession& host,
                                               const Questions& answers);
  // Asks about the followed tensor again; anyway: the person allows what a scan may not do.
  void ask_again(bool anyway);

  // About the tensor of the last follow(); null: none.
  [[nodiscard]] const LiveAnswer* current() const;
  // Rises whenever current() changes.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  enum class Part : std::uint8_t { raw, protocols };
  void start_over(const SnapshotIndex* index);
  void take(const Reply& reply);
  [[nodiscard]] std::optional<Question> next_question(LiveAnswer& answer, const SnapshotIndex& index);
  void set_state(LiveAnswer& answer, LiveAnswer::State state);

  core::SnapshotPtr snapshot_;
  bool gone_ = false;  // the Python of the snapshot is no longer the running one
  std::uint32_t tensor_ = core::kNone32;
  std::map<std::uint32_t, LiveAnswer> answers_;
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
