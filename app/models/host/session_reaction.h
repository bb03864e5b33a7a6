// SessionReaction: what HostSession::apply() returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/tensors/badges.h"
#include "core/wire/messages.h"

namespace dlscope::app {

// What the owner of the session has to do because of an event, in this order.
struct SessionReaction {
  struct Message {
    Tone tone = Tone::plain;
    std::string text;
    bool log_only = false;
  };
  bool clear_notices = false;         // a run or a new process begins: messages about the previous one are outdated
  bool start = false;                 // start a host
  bool restart = false;               // with `start`: the present host is replaced
  std::vector<core::wire::Run> runs;  // to send; answer with RequestNotTaken when the host takes none
  std::optional<std::uint64_t> scan;
  std::optional<core::wire::Interrupt> interrupt;
  std::optional<std::uint64_t> cancel_act;
  bool kill = false, leave = false, pause = false;
  std::optional<core::wire::Resume> resume;  // answer with ResumeNotTaken when the host takes none
  std::optional<std::uint64_t> release_frames;  // the host may release the frames kept under this number
  std::vector<Message> messages;
  std::string output_note;  // a line of ours to insert into the script's output; "": none
  bool note_of_failure = false;
};

}  // namespace dlscope::app
