// The command line as a value; --help explains the options (option_table.h). Parsing touches no file and starts nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/expectation.h"
#include "app/models/actions/view_options.h"
#include "core/statistics/value_summary.h"

namespace dlscope::app {

struct Options {
  std::string script;                  // as given; "" when there is none
  std::optional<std::string> code;     // -c
  std::string module;                  // -m: "pkg.train"; "": none
  std::vector<std::string> arguments;  // sys.argv[1:]
  std::string python;                  // "": the usual order (app/host/python_finder.h)
  bool headless = false;               // also set by options that only make sense without a window: --screenshot, --report,
                                       // --expect, --prove, --at
  bool run = false;
  bool run_asked = false;  // by --run itself, which a headless run does not need
  // --prove: with names, the chain that is judged; without, every pair that shares. The write probe is armed in both.
  bool prove = false;
  std::vector<std::string> chain;
  bool doctor = false;
  std::optional<double> timeout_seconds;
  std::string stop_at;     // --at: "[FILE:]LINE[#HIT]"
  std::string report;      // "" = none, "-" = standard output
  std::string screenshot;  // "" = none
  std::vector<Expectation> expectations;
  std::optional<int> width, height;  // --size
  std::optional<float> scale;
  std::optional<LayoutPreset> layout;
  std::optional<ThemeChoice> theme;
  std::string select;
  core::StatisticsMethod statistics = core::StatisticsMethod::none;  // --stats
};

// The program ends at once with this code: --help and --version (0, text for standard output), wrong usage (2, one line for
// standard error).
struct EarlyExit {
  int exit_code = 0;
  std::string text;
};

// thread: any. Options end at the first positional argument or "--": whatever follows belongs to the script.
[[nodiscard]] std::variant<Options, EarlyExit> parse_options(const std::vector<std::string>& arguments);

// The first argument of the script that is an option of ours: perhaps it was meant for us.
[[nodiscard]] std::optional<std::string> option_behind_script(const Options& options);

// Every option the parser knows, with its dashes, -h and -c among them; --help must mention each (tests).
[[nodiscard]] std::vector<std::string> known_options();

}  // namespace dlscope::app
