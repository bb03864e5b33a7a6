// Questions: what the window's views ask Python, one question per asker at a time, and the answers. A newer question of the same
// asker replaces the waiting one; an answer to a replaced question is dropped. An answer stays until the asker's next one, or
// until Python is restarted.
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
  std::string asker;         // "console", "inspector": who gets the answer
  std::uint64_t ticket = 0;  // the asker's own number, to match the answer
  std::string kind, text;    // core/wire: Ask
  bool patient = false;      // true: wait until Python is idle; false: answer "busy" when it is not
};

struct Reply {
  std::uint64_t ticket = 0;
  std::string text;   // JSON; "" with an error
  std::string error;  // "", kAnswerBusy, kAnswerStopped, "gone", or a message
};

class Questions {
 public:
  enum class Python { idle, busy, gone };

  // Nobody can be asked, now or later: a picture, a recording.
  void close() { closed_ = true; }
  [[nodiscard]] bool closed() const { return closed_; }

  void want(Question question);
  // Sends waiting questions, as far as Python takes them. ask: returns 0 when the question was not taken.
  void put(Python python, const std::function<std::uint64_t(const Question&)>& ask);
  void answer(const core::wire::Answer& answer);

  // The asker's newest answer; null: none yet. Compare its ticket to see whether it answers the last question.
  [[nodiscard]] const Reply* reply(std::string_view asker) const;
  // True while a question has no answer yet; is_open: Python has it already.
  [[nodiscard]] bool waits(std::string_view asker) const;
  [[nodiscard]] bool is_open(std::string_view asker) const;
  [[nodiscard]] bool any_open() const;
  // The wire's number of the one that Python works on; the others wait behind it. 0: none.
  [[nodiscard]] std::uint64_t oldest_open() const;

 private:
  struct Slot {
    std::uint64_t id = 0;      // of the question that Python has; 0: none
    std::uint64_t ticket = 0;  // that question's
    bool replaced = false;     // a newer question replaced it: drop its answer
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
