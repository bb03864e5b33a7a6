// Questions: what the window's views want to know from Python, one question per asker at a time, and what came back.
// A newer question of the same asker replaces the one that waits; an answer to a replaced question is dropped. Answers
// stay until the asker asks again or Python is restarted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dlscope::core::wire {
struct Answer;
}

namespace dlscope::app {

struct Question {
  std::string asker;         // "console", "inspector": whose answer this is
  std::uint64_t ticket = 0;  // the asker's own number, to know the answer again
  std::string kind, text;    // core/wire: Ask
  bool patient = false;      // true: waits until Python is idle; false: answered "busy" when it is not
};

struct Reply {
  std::uint64_t ticket = 0;
  std::string text;   // JSON; "" with an error
  std::string error;  // "", kAnswerBusy, kAnswerStopped, "gone" or words
};

class Questions {
 public:
  enum class Python { idle, busy, gone };

  // There is nobody to ask and never will be: a picture, a recording.
  void close() { closed_ = true; }
  [[nodiscard]] bool closed() const { return closed_; }

  void want(Question question);
  // Hands over what waits, as far as Python takes it. ask: 0 when nobody took it.
  void put(Python python, const std::function<std::uint64_t(const Question&)>& ask);
  void answer(const core::wire::Answer& answer);

  // The newest answer the asker got; null: none yet. Whether it fits is told by its ticket.
  [[nodiscard]] const Reply* reply(std::string_view asker) const;
  // Asked and not answered yet; waits for an idle Python, or is with it (is_open).
  [[nodiscard]] bool waits(std::string_view asker) const;
  [[nodiscard]] bool is_open(std::string_view asker) const;
  [[nodiscard]] bool any_open() const;

 private:
  struct Slot {
    std::uint64_t id = 0;      // of the question that is with Python; 0: none
    std::uint64_t ticket = 0;  // its
    bool replaced = false;     // nobody wants its answer any more
    bool waiting = false;
    Question next;
    bool replied = false;
    Reply reply;
  };
  static void reply_with(Slot& slot, std::uint64_t ticket, std::string text, std::string error);
  std::map<std::string, Slot, std::less<>> slots_;  // by asker
  bool closed_ = false;
};

}  // namespace dlscope::app
