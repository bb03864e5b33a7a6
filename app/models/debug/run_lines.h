// RunLines: where the lines of the code that runs stand in a text that was edited since it was run, and the other way round.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

// An edit of a text: the lines in [first, last] became those in [first, new_last]. One-based; part of the first and of the last
// line may have stayed.
struct LineEdit {
  std::uint32_t first = 1, last = 1, new_last = 1;
  // Only blanks precede the edit on its first line: the code of that line moves with the text after the edit.
  bool at_line_start = false;
  friend bool operator==(const LineEdit&, const LineEdit&) = default;
};

// The number of a line after the edit; 0: it was removed.
[[nodiscard]] std::uint32_t line_after(std::uint32_t line, const LineEdit& edit);

// Line numbers are one-based. A file that was not edited since its code was run has the same lines as the code.
class RunLines {
 public:
  // The present text of this file is run. text: that one; null: not known.
  void run(std::string_view path, std::shared_ptr<const std::string> text = nullptr);
  void follow(std::string_view path, const LineEdit& edit);
  // This file was opened, with this text. Where the code that runs is of another text, the edits between the two count.
  void open(std::string_view path, std::string_view text);

  // 0: the line was removed from the text.
  [[nodiscard]] std::uint32_t in_text(std::string_view path, std::uint32_t line_of_code) const;
  // 0: the line was written after the code was run.
  [[nodiscard]] std::uint32_t in_code(std::string_view path, std::uint32_t line_of_text) const;

 private:
  std::string path_;
  std::shared_ptr<const std::string> text_;  // of the code; null: not known
  std::vector<LineEdit> edits_;  // of the text, in order, without those that move no line
};

}  // namespace dlscope::app
