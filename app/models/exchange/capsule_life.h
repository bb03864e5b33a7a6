// The life of watched DLPack capsules: reads the answer to the question "capsules": where each capsule is between its creation
// and the release of its memory, what happened to it, and the Python lines that take it a step further.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/tensors/badges.h"
#include "core/base/result.h"

namespace dlscope::app {

// The stages of a capsule's life. waiting leads to consumed or dropped, and both lead to given_back.
enum class CapsulePlace : std::uint8_t { waiting, consumed, dropped, given_back };
inline constexpr std::size_t kCapsulePlaces = 4;

struct CapsuleLifeEvent {
  std::string step;  // "watched", "consumed", "refused", "destroyed", "deleted"
  std::int64_t t_ns = 0;  // since the first of the listed capsules was first watched
  std::string thread;     // "main thread", "thread 4711"
  bool noticed = false;
  std::string detail;
};

struct CapsuleLife {
  std::uint64_t id = 0;
  bool versioned = false;
  std::string state, name, tensor;
  std::vector<std::string> held_by;
  std::vector<CapsuleLifeEvent> events;
  std::array<bool, kCapsulePlaces> reached{};
  int at = -1;  // its present CapsulePlace as a number; -1: unknown
};

// Limits for what is taken from an answer.
inline constexpr std::size_t kMaxCapsules = 256, kMaxCapsuleEvents = 64;
[[nodiscard]] core::Result<std::vector<CapsuleLife>> read_capsules(std::string_view text);

// The capsules whose memory has not been given back: those that wait for a consumer, and those whose consumer holds it. Of all that are
// watched, also beyond kMaxCapsules.
struct CapsulesAlive {
  std::uint64_t waiting = 0, consumed = 0;
  std::uint64_t bytes = 0;  // of all of them; a byte of several is counted once
  bool at_most = false;     // there may be fewer bytes
  std::uint64_t not_listed = 0;  // what tensors of dlscope's handed out while too many of these were watched
};
[[nodiscard]] CapsulesAlive read_capsules_alive(std::string_view text);  // zeros where the answer says nothing
// "1 waiting capsule and 2 consumers of capsules keep 8.0 MiB alive"
[[nodiscard]] std::string capsules_alive_text(const CapsulesAlive& alive);

// "capsule_1", "capsule_1, c", "no name holds it".
[[nodiscard]] std::string capsule_title(const CapsuleLife& capsule);
// The meaning of the state, in a sentence or two.
[[nodiscard]] std::string capsule_state_text(const CapsuleLife& capsule);
// The last refusal by a consumer: "A consumer refused it: ValueError: ..."; "": none was seen.
[[nodiscard]] std::string capsule_refusal_text(const CapsuleLife& capsule);
// A consumer took it after that refusal.
[[nodiscard]] bool taken_after_refusal(const CapsuleLife& capsule);
[[nodiscard]] Tone capsule_tone(const CapsuleLife& capsule);
// "used_dltensor: a consumer took the struct", ...
[[nodiscard]] std::string capsule_event_text(const CapsuleLife& capsule, const CapsuleLifeEvent& event);
[[nodiscard]] const char* capsule_place_title(CapsulePlace place);

// A row of the log; line() is the tab-separated text that is filtered and exported.
struct CapsuleLogRow {
  std::string time, capsule, event, thread;
  [[nodiscard]] std::string line() const { return time + '\t' + capsule + '\t' + event + '\t' + thread; }
};
// The events of all capsules, by time, that contain `filter` (case ignored).
[[nodiscard]] std::vector<CapsuleLogRow> capsule_log(const std::vector<CapsuleLife>& capsules, std::string_view filter);

// "import dlscope; capsule_2 = dlscope.watch_capsule(x.__dlpack__(max_version=(1, 3)))"
[[nodiscard]] std::string make_capsule_line(std::string_view tensor, bool versioned, std::string_view name);
[[nodiscard]] std::string consume_capsule_line(std::string_view name);
[[nodiscard]] std::string drop_capsule_line(std::string_view name);
[[nodiscard]] std::string drop_consumer_line(std::string_view name);
// The name that consume_capsule_line() binds: capsule_2_tensor, d_c_tensor of d['c'].
[[nodiscard]] std::string consumer_name(std::string_view capsule);
// capsule_N, with an N that no capsule has had.
[[nodiscard]] std::string next_capsule_name(const std::vector<CapsuleLife>& capsules);

}  // namespace dlscope::app
