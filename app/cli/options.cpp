#include "app/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "core/base/build_id.h"

namespace dlscope::app {

namespace {

constexpr int kUsage = 2;
constexpr int kSmallestSide = 64, kLargestSide = 16384;

constexpr const char* kHelp = R"(dlscope: look at live tensors: where their bytes are and who shares them

usage: dlscope [OPTIONS] [SCRIPT [ARGS...]]     open a window with SCRIPT loaded (not run; --run runs it)
       dlscope [OPTIONS] -c CODE [ARGS...]      the same with code instead of a script
       dlscope --headless [OPTIONS] SCRIPT [ARGS...]     no window: run, report, exit

  -c CODE                  code instead of a script
  --python PATH            interpreter or virtual environment to embed
                           (default: $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv when it is yours, python3 on PATH)
  --headless               no window: run the script, print what was found, exit
  --run                    run the script at start
  --timeout SECONDS        stop the script after that long (headless)
  --report FILE            write the JSON report, - for standard output (headless)
  --expect SENTENCE        check the result (headless, repeatable): "x shares y", "x identical y", "x disjoint y",
                           "no copies"; exit 4 and the evidence when it does not hold
  --at [FILE:]LINE[#HIT]   look at the moment before that line runs (the HIT-th time) instead of at the end, with the names
                           inside the functions that are running; the script ends there (headless). FILE: a path or its
                           last parts, default the script. Exit 4 when the line is never reached
  --screenshot FILE.png    draw the window off screen after running the script (headless, needs no display)
  --size WxH               pixels of the window or the picture
  --scale FACTOR           size of everything drawn, 1.0 to 3.0
  --layout NAME            debug, teach or verify
  --theme NAME             dark or light
  --select NAME            the tensor shown in the picture
  --doctor                 say what was found and what not, with the fix
  --version                print the version
  --help                   print this

--report, --expect, --at and --screenshot imply --headless. Options end at the first argument that is none, or at --.
exit: 0 fine, 1 the script raised or left with a non-zero exit, 2 wrong usage, a missing script or a --select that
names no tensor, 3 environment (no usable Python, no display, a report or picture that cannot be written), 4 an --expect
failed or an --at was never reached, 5 the script's process crashed, 124 time-out, 130 interrupted
)";

// What the words of the command line were, before anything is made of them.
struct RawOptions {
  std::string python, at, report, screenshot, size, layout, theme, select, code;
  double timeout = 0;
  double scale = 0;
  std::vector<std::string> expectations;
  bool headless = false, run = false, doctor = false, version = false, help = false;
};

void declare(CLI::App& app, RawOptions& raw) {
  app.set_help_flag();
  app.prefix_command();
  app.add_option("-c", raw.code);
  app.add_option("--python", raw.python);
  app.add_flag("--headless", raw.headless);
  app.add_flag("--run", raw.run);
  app.add_option("--timeout", raw.timeout);
  app.add_option("--at", raw.at);
  app.add_option("--report", raw.report);
  app.add_option("--expect", raw.expectations)->allow_extra_args(false);
  app.add_option("--screenshot", raw.screenshot);
  app.add_option("--size", raw.size);
  app.add_option("--scale", raw.scale);
  app.add_option("--layout", raw.layout);
  app.add_option("--theme", raw.theme);
  app.add_option("--select", raw.select);
  app.add_flag("--doctor", raw.doctor);
  app.add_flag("--version", raw.version);
  app.add_flag("-h,--help", raw.help);
}

Farewell wrong(const std::string& what) { return {kUsage, "dlscope: " + what + " (dlscope --help lists the options)\n"}; }

bool parse_side(std::string_view text, std::optional<int>& side) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return false;
  side = value;
  return kSmallestSide <= value && value <= kLargestSide;
}

bool parse_size(std::string_view text, Options& options) {
  const auto cross = text.find('x');
  return cross != std::string_view::npos && parse_side(text.substr(0, cross), options.width) &&
         parse_side(text.substr(cross + 1), options.height);
}

std::optional<Farewell> take_pictures(const CLI::App& app, const RawOptions& raw, Options& options) {
  if (app.count("--size") != 0 && !parse_size(raw.size, options)) {
    return wrong(fmt::format("--size {}: expected WIDTHxHEIGHT in pixels, {} to {} each, as in 1920x1080", raw.size,
                             kSmallestSide, kLargestSide));
  }
  if (app.count("--scale") != 0) {
    const auto scale = static_cast<float>(raw.scale);
    if (!(kMinScale <= scale && scale <= kMaxScale))
      return wrong(fmt::format("--scale {}: expected {:.1f} to {:.1f}", raw.scale, kMinScale, kMaxScale));
    options.scale = scale;
  }
  if (app.count("--layout") != 0) {
    options.layout = layout_from_name(raw.layout);
    if (!options.layout) return wrong(fmt::format("--layout {}: expected debug, teach or verify", raw.layout));
  }
  if (app.count("--theme") != 0) {
    options.theme = theme_from_name(raw.theme);
    if (!options.theme) return wrong(fmt::format("--theme {}: expected dark or light", raw.theme));
  }
  options.select = raw.select;
  if (!raw.select.empty() && raw.screenshot.empty()) return wrong("--select needs --screenshot");
  return std::nullopt;
}

// "[FILE:]LINE[#HIT]"
bool is_moment(std::string_view text) {
  const auto is_count = [](std::string_view digits) {
    int number = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return parsed.ec == std::errc{} && parsed.ptr == digits.data() + digits.size() && number >= 1;
  };
  const auto mark = text.rfind('#');
  if (mark != std::string_view::npos) {
    if (!is_count(text.substr(mark + 1))) return false;
    text = text.substr(0, mark);
  }
  const auto colon = text.rfind(':');
  return colon == std::string_view::npos ? is_count(text) : colon > 0 && is_count(text.substr(colon + 1));
}

bool contains(std::span<const std::string> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// CLI11 lets an option take the next one for its value, also behind "--report=". own: the words in front of the script.
std::optional<Farewell> check_paths(const CLI::App& app, const RawOptions& raw, std::span<const std::string> own) {
  const std::vector<std::string> known = known_options();
  for (const auto& [name, value] :
       {std::pair{"--report", &raw.report}, {"--screenshot", &raw.screenshot}, {"--python", &raw.python}}) {
    if (app.count(name) == 0) continue;
    const bool nothing = value->empty() || contains(own, std::string{name} + "=");
    if (nothing) return wrong(fmt::format("{} needs a path, not an empty one", name));
    if (contains(known, value->substr(0, value->find('='))))
      return wrong(fmt::format("{} needs a path, not {}; a file of that name is ./{}", name, *value, *value));
  }
  return std::nullopt;
}

std::optional<Farewell> take_run(const CLI::App& app, const RawOptions& raw, Options& options) {
  if (raw.screenshot == "-") return wrong("--screenshot -: a picture goes into a file, not to standard output");
  if (app.count("-c") != 0) options.code = raw.code;
  options.python = raw.python;
  const bool by_number = raw.report == "/dev/stdout" || raw.report == "/dev/fd/1" || raw.report == "/proc/self/fd/1";
  options.report = by_number ? "-" : raw.report;
  options.screenshot = raw.screenshot;
  options.doctor = raw.doctor;
  for (const std::string& text : raw.expectations) {
    auto expectation = parse_expectation(text);
    if (!expectation) return wrong("--expect " + expectation.error().message);
    options.expectations.push_back(std::move(*expectation));
  }
  options.headless =
      raw.headless || !raw.report.empty() || !raw.screenshot.empty() || !raw.expectations.empty() || app.count("--at") != 0;
  options.run = raw.run || options.headless;
  if (app.count("--at") != 0 && !is_moment(raw.at))
    return wrong(fmt::format("--at {}: expected [FILE:]LINE[#HIT], as in 12, 12#3 or model.py:40", raw.at));
  options.stop_at = raw.at;
  if (app.count("--timeout") != 0) {
    if (!std::isfinite(raw.timeout) || raw.timeout <= 0)
      return wrong(fmt::format("--timeout {}: expected a number of seconds above 0", raw.timeout));
    if (!options.headless) return wrong("--timeout needs --headless");
    options.timeout_seconds = raw.timeout;
  }
  return std::nullopt;
}

// CLI11 leaves words it does not know in front of the script's: an unknown option, or "--" itself.
std::optional<Farewell> take_script(std::vector<std::string> rest, const std::vector<std::string>& arguments, Options& options) {
  bool marked = false;
  if (!rest.empty() && rest.front() == "--") {
    marked = true;
    rest.erase(rest.begin());
  } else if (!rest.empty() && rest.size() < arguments.size()) {
    marked = arguments[arguments.size() - rest.size() - 1] == "--";
  }
  if (!marked && !rest.empty() && rest.front().size() > 1 && rest.front().front() == '-') {
    return wrong("unknown option " + rest.front());
  }
  if (!options.code && !rest.empty()) {
    options.script = rest.front();
    rest.erase(rest.begin());
    if (options.script.empty()) return wrong("the script's name is empty");
  }
  options.arguments = std::move(rest);
  return std::nullopt;
}

}  // namespace

std::variant<Options, Farewell> parse_options(const std::vector<std::string>& arguments) {
  CLI::App app;
  RawOptions raw;
  declare(app, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return wrong(what);
  }
  if (raw.help) return Farewell{0, kHelp};
  if (raw.version) return Farewell{0, fmt::format("dlscope {}\n", core::version())};
  Options options;
  const std::vector<std::string> rest = app.remaining();
  const auto own = std::span(arguments).first(arguments.size() - rest.size());
  if (auto farewell = check_paths(app, raw, own)) return *farewell;
  if (auto farewell = take_run(app, raw, options)) return *farewell;
  if (auto farewell = take_pictures(app, raw, options)) return *farewell;
  if (auto farewell = take_script(rest, arguments, options)) return *farewell;
  const bool something = !options.script.empty() || options.code.has_value();
  if (options.run && !something && !options.doctor) {
    return wrong(options.headless ? "there is nothing to run: give a script or -c CODE" : "--run needs a script or -c CODE");
  }
  return options;
}

std::optional<std::string> option_behind_script(const Options& options) {
  const std::vector<std::string> known = known_options();
  for (const std::string& argument : options.arguments) {
    if (contains(known, argument.substr(0, argument.find('=')))) return argument;
  }
  return std::nullopt;
}

std::vector<std::string> known_options() {
  CLI::App app;
  RawOptions raw;
  declare(app, raw);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name(false, true));
  return names;
}

}  // namespace dlscope::app
