// RequestQueue: what the viewer has asked of Python and is not served yet, and which of it may be served now. Pure state: no
// thread, no signal, no message. Not synchronised: ServedState::mutex guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "core/wire/messages.h"

namespace dlscope::embed {

struct ActRequest {
  std::uint64_t id = 0;
  core::wire::ActWork work;
};
struct ChangesWait {};  // breakpoints changed, or a pause is asked for: RequestServing::take_changes() has it
using Request = std::variant<core::wire::Run, core::wire::Scan, core::wire::Shutdown, core::wire::Ask, ActRequest,
                             core::wire::Resume, ChangesWait>;

// `stop` in all of these: the number of the innermost stop; 0: nothing is stopped.
class RequestQueue {
 public:
  static constexpr std::size_t kMaxQueued = 64;  // requests, where another question would join them
  static constexpr std::size_t kMaxActs = 1024;

  void put(Request request) { requests_.push_back(std::move(request)); }
  // A Run or Resume is the user's request, an Ask only the window's: the questions that wait are taken out, to be refused.
  // std::bad_alloc: nothing has changed.
  [[nodiscard]] std::vector<core::wire::Ask> put_before_questions(Request wanted);
  // False, and the question is untouched: what the user asked for goes first, or too much waits.
  [[nodiscard]] bool put_question(core::wire::Ask& question, std::uint64_t stop);
  [[nodiscard]] bool put_act(ActRequest& act);  // false, and it is untouched: kMaxActs wait

  // The first that may be served now: at a stop a Run that is not meant for it waits, and a Shutdown is returned but stays, for
  // whoever asks when the script has ended.
  [[nodiscard]] std::optional<Request> take(std::uint64_t stop);
  [[nodiscard]] bool has_one_to_serve(std::uint64_t stop) const;
  [[nodiscard]] bool has_run_or_resume() const;
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const { return requests_.size(); }

  // The request that the interruption is meant for; null: it does not wait here. An act is ended by Cancel instead.
  [[nodiscard]] const Request* find(const core::wire::Interrupt& interrupt) const;
  void remove(const core::wire::Interrupt& interrupt);         // what find() returns
  [[nodiscard]] bool remove_act(std::uint64_t id);   // false: it does not wait here
  [[nodiscard]] std::uint64_t first_act() const;     // its number; 0: none waits

 private:
  std::deque<Request> requests_;
};

}  // namespace dlscope::embed
