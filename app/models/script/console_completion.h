// What Python offered for the cursor's place in the console, narrowed while the person types on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/text/python_text.h"

namespace dlscope::app {

struct Completion {
  struct Match {
    std::string text, kind;
  };
  std::size_t from = 0;  // byte of the input that the matches begin at
  std::vector<Match> matches;
  bool cut = false;  // there are more
};

// Python's answer; nullopt: it is none.
[[nodiscard]] std::optional<Completion> completion_from_json(std::string_view json);
// The question: the whole input and the cursor's byte in it. frame: of a stop, whose names are meant.
[[nodiscard]] std::string completion_question(std::string_view text, std::size_t cursor,
                                              std::optional<std::uint32_t> frame = std::nullopt);

// Whether Python takes the input as a whole statement; invalid ones are, so that Python says what is wrong. nullopt: no answer.
[[nodiscard]] std::optional<Completeness> completeness_from_json(std::string_view json);
[[nodiscard]] std::string completeness_question(std::string_view text);

// An edit of the input: what it is afterwards.
struct ConsoleEdit {
  std::string text;
  std::size_t cursor = 0;
};

class CompletionList {
 public:
  // Python answered for this input. Gives what can be put in at once: the only match, or what all have in common.
  std::optional<ConsoleEdit> show(Completion completion, const std::string& text, std::size_t cursor);
  // The input is this now. Closes when it left the word, or nothing fits any more.
  void follow(const std::string& text, std::size_t cursor);
  void close() { open_ = false; }
  [[nodiscard]] bool open() const { return open_; }

  void move(int step);
  [[nodiscard]] ConsoleEdit take(const std::string& text, std::size_t cursor);
  void select(std::size_t shown) { selected_ = shown; }

  [[nodiscard]] std::size_t size() const { return shown_.size(); }
  [[nodiscard]] const Completion::Match& shown(std::size_t i) const { return completion_.matches[shown_[i]]; }
  [[nodiscard]] std::size_t selected() const { return selected_; }
  [[nodiscard]] bool cut() const { return completion_.cut; }

 private:
  bool narrow(const std::string& text, std::size_t cursor);

  Completion completion_;
  std::vector<std::size_t> shown_;
  std::size_t selected_ = 0;
  std::size_t asked_at_ = 0;  // the cursor when it was asked
  bool open_ = false;
};

}  // namespace dlscope::app
