#include "app/cli/option_table.h"

#include <fmt/core.h>

#include <string_view>

namespace dlscope::app {
namespace {

// clang-format off
constexpr OptionRow kOptions[] = {
    {"-c", "CODE", "code", &RawOptions::code, Headless::by_choice, "code instead of a script"},
    {"-m", "MODULE", "the name of a module, as in pkg.train", &RawOptions::module, Headless::by_choice,
     "a module instead of a script; what follows its name is for the module"},
    {"--python", "PATH", "the path of an interpreter or of a virtual environment", &RawOptions::python, Headless::by_choice,
     "interpreter or virtual environment to embed\n"
     "(default: that of `python -m dlscope`, $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv when it\n"
     "is yours, the one dlscope is installed in, python3 on PATH)"},
    {"--headless", "", "", &RawOptions::headless, Headless::by_choice, "no window: run the script, print what was found, exit"},
    {"--run", "", "", &RawOptions::run, Headless::by_choice, "run the script at start"},
    {"--timeout", "SECONDS", "a number of seconds above 0", &RawOptions::timeout, Headless::by_choice,
     "stop the script, or the look at a file, after that long (headless)"},
    {"--report", "FILE", "a file, or - for standard output", &RawOptions::report, Headless::implied,
     "write the JSON report, - for standard output (headless)"},
    {"--stats", "none|sample|exact", "none, sample or exact", &RawOptions::statistics, Headless::by_choice,
     "count, extremes, mean, spread, NaN and infinities of every tensor's values, in the report and\n"
     "as a table (headless; default none)"},
    {"--expect", "SENTENCE", "a sentence in quotes, as in \"x shares y\"", &RawOptions::expectations, Headless::implied,
     "check the result (headless, repeatable): \"x shares y\", \"x identical y\", \"x disjoint y\",\n"
     "\"dlscope copies nothing\"; exit 4 and the evidence when it does not hold. A name with blanks goes\n"
     "into quotes of its own: --expect \"'my key' shares x\""},
    {"--prove", "[NAME NAME ...]", "", &RawOptions::prove, Headless::implied,
     "judge the hand-over from each named tensor to the next: SHARED, COPIED, ... with the evidence, confirmed by\n"
     "a write probe that changes one byte, looks for it and puts it back. Exit 4 unless all are SHARED.\n"
     "Without names: probe every pair that shares bytes (PAIR.proof in the report). (headless)"},
    {"--at", "[FILE:]LINE[#HIT]", "a moment, as in 12, 12#3, model.py:40 or main:return", &RawOptions::at, Headless::implied,
     "look at the moment before that line runs (the HIT-th time) instead of at the end, with the names\n"
     "inside the functions that are running; the script ends there (headless). FILE: a path or its\n"
     "last parts, default the script. FUNCTION:return looks just before that function returns, as in\n"
     "main:return or Trainer.fit:return. Exit 4 when it is never reached"},
    {"--screenshot", "FILE.png", "a file whose name ends in .png", &RawOptions::screenshot, Headless::implied,
     "draw the window off screen after running the script (headless, needs no display)"},
    {"--size", "WxH", "WIDTHxHEIGHT in pixels, as in 1920x1080", &RawOptions::size, Headless::by_choice,
     "pixels of the window or the picture"},
    {"--scale", "FACTOR", "a number from 1.0 to 3.0", &RawOptions::scale, Headless::by_choice,
     "size of everything drawn, 1.0 to 3.0"},
    {"--layout", "NAME", "debug, teach or verify", &RawOptions::layout, Headless::by_choice, "debug, teach or verify"},
    {"--theme", "NAME", "dark or light", &RawOptions::theme, Headless::by_choice, "dark or light"},
    {"--select", "NAME", "the name of a tensor", &RawOptions::select, Headless::by_choice, "the tensor shown in the picture"},
    {"--doctor", "", "", &RawOptions::doctor, Headless::by_choice, "say what was found and what not, with the fix"},
    {"--version", "", "", &RawOptions::version, Headless::by_choice, "print the version"},
    {"-h,--help", "", "", &RawOptions::help, Headless::by_choice, "print this"}};
// clang-format on

constexpr const char* kUsage = R"(dlscope: look at live tensors: where their bytes are and who shares them

usage: dlscope [OPTIONS] [SCRIPT [ARGS...]]     open a window with SCRIPT loaded (not run; --run runs it)
       dlscope [OPTIONS] -c CODE [ARGS...]      the same with code instead of a script
       dlscope [OPTIONS] -m MODULE [ARGS...]    the same with a module, run as `python -m MODULE` is
       dlscope --headless [OPTIONS] SCRIPT [ARGS...]     no window: run, report, exit
       dlscope [OPTIONS] FILE.npy|.npz|.safetensors      the tensors of a file, without Python
       dlscope [--headless] FILE.streams.json      a recording of streams: what orders its reads and writes, or what races

)";

constexpr const char* kExitCodes =
    R"(exit: 0 fine, 1 the script raised or exited with a non-zero code, 2 wrong usage, a missing script or a --select that
names no tensor, 3 environment (no usable Python, no display, a report or picture that cannot be written, a scan without
a result), 4 an --expect failed, a --prove was not SHARED, an --at was never reached or
a recording of streams holds a race, 5 the script's process crashed or a library ended it during the scan, 124 time-out,
130 the script or the scan was interrupted
)";

constexpr std::size_t kHelpColumn = 27;

// The name that --help shows: of "-h,--help" the last.
std::string_view shown_name(const OptionRow& row) {
  const std::string_view names = row.names;
  return names.substr(names.rfind(',') + 1);
}

// "  --run                    run the script at start"; the help goes below a name that reaches into its column.
std::string help_of(const OptionRow& row) {
  std::string text = fmt::format("  {}{}{}", shown_name(row), *row.metavar == 0 ? "" : " ", row.metavar);
  const bool fits = text.size() + 2 <= kHelpColumn;
  text += fits ? std::string(kHelpColumn - text.size(), ' ') : '\n' + std::string(kHelpColumn, ' ');
  for (const char letter : std::string_view(row.help)) {
    text += letter;
    if (letter == '\n') text.append(kHelpColumn, ' ');
  }
  return text + '\n';
}

// "--report, --expect and --screenshot"
std::string options_that_imply_headless() {
  std::vector<std::string_view> names;
  for (const OptionRow& row : kOptions) {
    if (row.headless == Headless::implied) names.push_back(shown_name(row));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::span<const OptionRow> option_table() { return kOptions; }

std::string help_text() {
  std::string text = kUsage;
  for (const OptionRow& row : kOptions) text += help_of(row);
  text += fmt::format("\n{} imply --headless. Options end at the first argument that is not one, or at --.\n",
                      options_that_imply_headless());
  return text + kExitCodes;
}

}  // namespace dlscope::app
