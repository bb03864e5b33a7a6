// The command line's options in one table, in the order of --help: the parser's options and the text of --help both come from it.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace dlscope::app {

// The options as texts, before they are checked and converted.
struct RawOptions {
  std::string statistics, at, python, report, screenshot, size, layout, theme, select, code, module;
  std::vector<std::string> chain;
  std::string timeout, scale;  // converted by parse_options(): the parser's own messages would name C++ types
  std::vector<std::string> expectations;
  bool headless = false, prove = false, run = false, doctor = false, version = false, help = false;
};

// Where the parser puts an option: a flag, a value, or the values of an option that may be given more than once.
using OptionTarget = std::variant<bool RawOptions::*, std::string RawOptions::*, std::vector<std::string> RawOptions::*>;

enum class Headless : bool { by_choice, implied };  // implied: the option only makes sense without a window

struct OptionRow {
  const char* names;    // as the parser takes them: "--run" or "-h,--help"
  const char* metavar;  // stands behind the name in --help; "": nothing does
  const char* needs;    // ends the sentence "--timeout needs ..."; "": a flag, which takes no value
  OptionTarget target;
  Headless headless;
  const char* help;  // its lines in --help
  bool takes_value() const { return *needs != 0; }
};

[[nodiscard]] std::span<const OptionRow> option_table();

// What --help prints.
[[nodiscard]] std::string help_text();

}  // namespace dlscope::app
