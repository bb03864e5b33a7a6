// OutputModel: what the host printed to its terminal, as lines to draw. Handles what programs do on a plain terminal: carriage
// return and cursor-up (progress bars), backspace, tabs, erase line, colours. Bounded in lines and bytes; dropped lines are
// counted and reported. Text is untrusted: control characters never reach the screen.
// Why not libvterm: it keeps a screen of cells of fixed width and hands over rows that scroll out, cut at that width. Here lines
// have the length they were printed with, wrap with the panel, and can be searched and copied whole; full-screen programs are not
// supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

// note: a line of dlscope's own ("run 2: Finished."); failure: a note about a failure
enum class OutputKind : std::uint8_t { text, note, failure };

// As the program requested it; the theme decides what it looks like.
struct TextColour {
  enum class Kind : std::uint8_t { standard, indexed, rgb };
  Kind kind = Kind::standard;
  std::uint8_t red = 0, green = 0, blue = 0;  // indexed: red is the index, 0 to 255
  friend bool operator==(const TextColour&, const TextColour&) = default;
};

struct TextStyle {
  TextColour ink, ground;
  bool bold = false, dim = false, underlined = false, inverse = false;
  friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

struct StyleRun {
  std::uint32_t begin = 0;  // first byte in the line; the run ends where the next one begins
  std::uint16_t style = 0;  // index into OutputModel::styles()
};

struct OutputLine {
  std::string text;            // UTF-8, printable
  std::vector<StyleRun> runs;  // empty: all in the standard style
  OutputKind kind = OutputKind::text;
};

// A position that stays valid while older lines are dropped.
struct OutputPlace {
  std::uint64_t line = 0;  // counted from the first line ever
  std::size_t byte = 0;
  friend auto operator<=>(const OutputPlace&, const OutputPlace&) = default;
};

class OutputModel {
 public:
  struct Limits {
    std::size_t lines = 50'000;
    std::size_t bytes = 8u << 20;
    std::size_t line_length = 4096;  // code points; a longer line is wrapped
    std::size_t digest_per_frame = 256u << 10;
    std::size_t waiting = 4u << 20;  // when more bytes wait to be digested, the oldest are skipped
  };

  OutputModel() : OutputModel(Limits{}) {}
  explicit OutputModel(Limits limits);

  // Takes raw terminal bytes; cheap. They appear with the next digest().
  void append(std::string_view bytes);
  // Converts waiting bytes to lines, at most digest_per_frame of them. True: some are left, draw another frame.
  bool digest();
  // Adds a text of dlscope's own, on its own lines, after everything that waits.
  void note(std::string_view text, OutputKind kind = OutputKind::note);
  void clear();

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] const OutputLine& line(std::size_t i) const { return lines_[i]; }
  [[nodiscard]] std::uint64_t dropped_lines() const { return dropped_lines_; }  // from the front, since clear()
  [[nodiscard]] std::uint64_t skipped_bytes() const { return skipped_bytes_; }  // never shown: printed faster than digested
  [[nodiscard]] std::uint64_t revision() const { return revision_; }            // rises when the lines changed
  [[nodiscard]] std::string all_text() const;                                   // for copying
  [[nodiscard]] std::string text_between(OutputPlace from, OutputPlace to) const;
  [[nodiscard]] const std::vector<TextStyle>& styles() const { return styles_; }
  [[nodiscard]] std::uint64_t first_line() const { return first_line_; }  // number of line(0), counted from the first ever

 private:
  enum class State : std::uint8_t { ground, escape, csi, string, string_escape };

  struct Cell {
    char32_t point = U' ';
    std::uint16_t style = 0;
  };
  void set_style(std::string_view parameters);
  std::uint16_t style_number(const TextStyle& style);
  void process(std::string_view bytes);
  void write_note(std::string_view text, OutputKind kind = OutputKind::note);
  std::size_t put_plain(std::string_view bytes);  // a run of printable ASCII; returns its length
  void put(char32_t point);
  void control(unsigned char c);
  void finish_csi(char final);
  void store_edit_line();
  void load_edit_line();
  void new_line();
  void trim();
  void decode(unsigned char c);

  Limits limits_;
  std::deque<OutputLine> lines_;
  std::size_t bytes_ = 0;
  std::string waiting_;
  std::uint64_t dropped_lines_ = 0, skipped_bytes_ = 0, revision_ = 0, first_line_ = 0;
  // The line being edited: lines_[row_], as code points.
  std::vector<Cell> edit_;
  TextStyle pen_;
  std::uint16_t pen_number_ = 0;
  std::vector<TextStyle> styles_{1};  // bounded; the first is the standard one
  std::size_t row_ = 0, column_ = 0;
  State state_ = State::ground;
  std::string csi_;
  std::size_t string_bytes_ = 0;  // of a control string so far
  char32_t point_ = 0;            // the UTF-8 character being decoded
  unsigned missing_ = 0;
};

}  // namespace dlscope::app
