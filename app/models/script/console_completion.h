// Python's completions at the cursor of the console, narrowed while the person types on.
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
  std::size_t from = 0;  // byte of the input where the matches begin
  std::vector<Match> matches;
  bool cut = false;  // there are more
};

// Parses Python's answer; nullopt: malformed.
[[nodiscard]] std::optional<Completion> completion_from_json(std::string_view json);
// The question: the whole input and the cursor's byte in it. frame: of a stop, whose names to complete.
[[nodiscard]] std::string completion_question(std::string_view text, std::size_t cursor,
                                              std::optional<std::uint32_t> frame = std::nullopt);

// Whether the input is a complete statement. An invalid one counts as complete, so that Python reports the error. nullopt:
// malformed.
[[nodiscard]] std::optional<Completeness> completeness_from_json(std::string_view json);
[[nodiscard]] std::string completeness_question(std::string_view text);

// The input after an edit.
struct ConsoleEdit {
  std::string text;
  std::size_t cursor = 0;
};

class CompletionList {
 public:
  // Shows Python's answer for this input. Returns an edit that can be made at once: the only match, or the common beginning of
  // all.
  std::optional<ConsoleEdit> show(Completion completion, const std::string& text, std::size_t cursor);
  // Call after the input changed. Closes the list when the cursor left the word, or nothing matches any more.
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
  std::size_t asked_at_ = 0;  // the cursor when Python was asked
  bool open_ = false;
};

}  // namespace dlscope::app
