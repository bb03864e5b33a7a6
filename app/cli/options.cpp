#include "app/cli/options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>

#include "app/cli/option_table.h"
#include "app/cli/plain_text.h"
#include "app/models/exchange/stream_picture.h"
#include "core/base/build_id.h"
#include "core/base/overloaded.h"
#include "core/base/utf8_text.h"

namespace dlscope::app {

namespace {

constexpr int kUsage = 2;
constexpr int kSmallestSide = 64, kLargestSide = 16384;

void declare(CLI::App& app, RawOptions& raw) {
  app.set_help_flag();
  app.prefix_command();
  for (const OptionRow& row : option_table()) {
    std::visit(core::Overloaded{[&](bool RawOptions::* flag) { app.add_flag(row.names, raw.*flag); },
                                [&](std::string RawOptions::* value) { app.add_option(row.names, raw.*value); },
                                [&](std::vector<std::string> RawOptions::* values) {
                                  app.add_option(row.names, raw.*values)->allow_extra_args(false);
                                }},
               row.target);
  }
}

// True if the option was given; a flag also has to be on, because --prove=false turns it off.
bool is_given(const OptionRow& row, const CLI::App& app, const RawOptions& raw) {
  const auto* flag = std::get_if<bool RawOptions::*>(&row.target);
  return flag != nullptr ? raw.**flag : app.count(row.names) != 0;
}

// The arguments in it may hold anything: a line break or an escape sequence must not reach the terminal.
EarlyExit wrong(const std::string& what) {
  return {kUsage, "dlscope: " + plain_text(what) + " (dlscope --help lists the options)\n"};
}

std::string needs_text(std::string_view option) {
  const auto row = std::ranges::find(option_table(), option, &OptionRow::names);
  return row == option_table().end() ? std::string() : fmt::format("{} needs {}", option, row->needs);
}

// The parser's error in our wording: its own messages begin with the option they are about.
std::string parse_text(const CLI::ParseError& error) {
  const std::string what = error.what();
  for (const OptionRow& row : option_table()) {
    const std::string_view option = row.names;
    if (!row.takes_value()) continue;
    if (what.find(fmt::format("{}:", option)) == std::string::npos) continue;
    if (what.find("required") != std::string::npos && what.find("missing") != std::string::npos) return needs_text(option);
    return fmt::format("{} is given more than once", option);
  }
  const auto colon = what.find(':');
  if (what.starts_with("-") && colon != std::string::npos) return what.substr(0, colon) + " takes no value";
  std::string line = what;
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// The whole text as a finite number; nullopt for anything else.
std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Edit distance: how many letters to insert, remove, change or swap to turn one word into the other.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

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

std::optional<EarlyExit> take_pictures(const CLI::App& app, const RawOptions& raw, Options& options) {
  if (app.count("--size") != 0 && !parse_size(raw.size, options)) {
    return wrong(fmt::format("--size {}: expected WIDTHxHEIGHT in pixels, {} to {} each, as in 1920x1080", raw.size,
                             kSmallestSide, kLargestSide));
  }
  if (app.count("--scale") != 0) {
    const auto scale = number_in(raw.scale);
    if (!scale || *scale < static_cast<double>(kMinScale) || *scale > static_cast<double>(kMaxScale))
      return wrong(fmt::format("{}, not {}", needs_text("--scale"), raw.scale));
    options.scale = static_cast<float>(*scale);
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

// How something looks that a run without a window does not draw. A recording has words of its own for that (wrong_for_file()).
std::optional<EarlyExit> check_something_is_drawn(const CLI::App& app, const Options& options) {
  if (!options.headless || !options.screenshot.empty() || is_stream_trace_file(options.script)) return std::nullopt;
  for (const char* const name : {"--size", "--scale", "--layout", "--theme"}) {
    if (app.count(name) != 0) return wrong(fmt::format("{} needs a window or --screenshot", name));
  }
  return std::nullopt;
}

// "[FILE:]LINE[#HIT]" or "FUNCTION:return[#HIT]"
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
  constexpr std::string_view kReturn = ":return";
  if (text.ends_with(kReturn)) return text.size() > kReturn.size() && text.find('/') == std::string_view::npos;
  const auto colon = text.rfind(':');
  return colon == std::string_view::npos ? is_count(text) : colon > 0 && is_count(text.substr(colon + 1));
}

bool contains(std::span<const std::string> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// CLI11 takes the next option as the value of one without a value, also after "--report=". own: the arguments before the script.
std::optional<EarlyExit> check_paths(const CLI::App& app, const RawOptions& raw, std::span<const std::string> own) {
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

// A picture is a PNG: another file ending would promise another format.
std::optional<EarlyExit> check_picture_name(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const std::filesystem::path name(path);
  const std::string ending = core::lowered(name.extension().string());
  if (ending == ".png") return std::nullopt;
  return wrong(fmt::format("--screenshot {}: pictures are written as PNG; call it {}", path,
                           std::filesystem::path(name).replace_extension(".png").string()));
}

std::optional<EarlyExit> take_run(const CLI::App& app, const RawOptions& raw, Options& options) {
  if (raw.screenshot == "-") return wrong("--screenshot -: a picture goes into a file, not to standard output");
  if (const auto early_exit = check_picture_name(raw.screenshot)) return early_exit;
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
  options.headless = raw.headless || std::ranges::any_of(option_table(), [&](const OptionRow& row) {
                       return row.headless == Headless::implied && is_given(row, app, raw);
                     });
  options.run = raw.run || options.headless;
  options.run_asked = raw.run;
  if (app.count("--stats") != 0) {
    using enum core::StatisticsMethod;
    const auto methods = {none, sample, exact};
    const auto named = std::ranges::find(methods, raw.statistics, core::statistics_method_name);
    if (named == methods.end()) return wrong(fmt::format("{}, not {}", needs_text("--stats"), raw.statistics));
    if (!options.headless) return wrong("--stats needs --headless");
    options.statistics = *named;
  }
  if (app.count("--at") != 0 && !is_moment(raw.at))
    return wrong(fmt::format("--at {}: expected [FILE:]LINE[#HIT] or FUNCTION:return, as in 12, 12#3, model.py:40 or main:return",
                             raw.at));
  options.stop_at = raw.at;
  if (app.count("--timeout") != 0) {
    const auto seconds = number_in(raw.timeout);
    if (!seconds || *seconds <= 0) return wrong(fmt::format("{}, not {}", needs_text("--timeout"), raw.timeout));
    if (!options.headless) return wrong("--timeout needs --headless");
    options.timeout_seconds = *seconds;
  }
  return std::nullopt;
}

// The option that a misspelt one was probably meant to be; "": none is similar.
std::string nearest_option(const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  if (!given.starts_with("--")) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(1, (given.size() - 2) / 3) + 1;
  for (const std::string& names : known_options()) {
    const std::string name = names.substr(names.rfind(',') + 1);
    const bool begun = given.size() >= 5 && name.starts_with(given);  // --screen
    const std::size_t edits = begun ? 0 : edits_between(given, name);
    if (edits >= least) continue;
    least = edits;
    best = name;
  }
  return best;
}

// The options whose value is the next word.
bool takes_value(const std::string& word) {
  return std::ranges::any_of(option_table(), [&](const OptionRow& row) { return row.takes_value() && word == row.names; });
}

// True at the end of the names after --prove: at the next option or at the script, which is a file or is named like one. CLI11
// cannot know where the names end, so take_chain() removes them before it runs.
bool ends_chain(const std::string& word, bool code) {
  if (word.empty() || word.front() == '-') return true;
  const std::filesystem::path path(word);
  const std::string ending = path.extension().string();
  for (const std::string_view script : {".py", ".npy", ".npz", ".safetensors"}) {
    if (ending == script) return true;
  }
  std::error_code error;
  const bool is_name = word.find('/') == word.npos;
  return !code && (!is_name || std::filesystem::is_regular_file(path, error));
}

// The first word that is not ours any more: the script, or "--".
std::vector<std::string>::iterator end_of_options(std::vector<std::string>& arguments) {
  auto word = arguments.begin();
  while (word != arguments.end() && *word != "--" &&
         (word->starts_with("-") || (word != arguments.begin() && takes_value(*(word - 1)))))
    ++word;
  return word;
}

struct ModuleCall {
  std::string name;
  std::vector<std::string> arguments;
};
// As with `python -m NAME`, every word after the name is the module's. nullopt: there is no -m among our options.
std::optional<ModuleCall> take_module(std::vector<std::string>& arguments) {
  const auto last = end_of_options(arguments);
  for (auto word = arguments.begin(); word != last; ++word) {
    if (*word != "-m" || (word != arguments.begin() && takes_value(*(word - 1)))) continue;
    ModuleCall call;
    if (word + 1 != arguments.end()) {
      call.name = *(word + 1);
      call.arguments.assign(word + 2, arguments.end());
    }
    arguments.erase(word, arguments.end());
    return call;
  }
  return std::nullopt;
}

std::vector<std::string> take_chain(std::vector<std::string>& arguments) {
  std::vector<std::string> chain;
  bool code = false;  // -c CODE: there is no script file, so every word is a name
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    if (*word == "--" || (!word->starts_with("-") && (word == arguments.begin() || !takes_value(*(word - 1))))) break;
    code = code || *word == "-c";
    if (*word != "--prove") continue;
    const auto first = word + 1, option = std::find_if(first, arguments.end(), [](const auto& w) { return w.starts_with("-"); });
    code = code || (option != arguments.end() && *option == "-m");
    auto last = first;
    while (last != arguments.end() && !ends_chain(*last, code)) ++last;
    for (auto name = first; name != last; ++name) {
      for (std::string& part : split_names(*name)) chain.push_back(std::move(part));
    }
    word = arguments.erase(first, last) - 1;
  }
  return chain;
}

// CLI11 leaves words it does not know before the script: an unknown option, or "--" itself.
std::optional<EarlyExit> take_script(std::vector<std::string> rest, const std::vector<std::string>& arguments, Options& options) {
  bool marked = false;
  if (!rest.empty() && rest.front() == "--") {
    marked = true;
    rest.erase(rest.begin());
  } else if (!rest.empty() && rest.size() < arguments.size()) {
    marked = arguments[arguments.size() - rest.size() - 1] == "--";
  }
  if (!marked && !rest.empty() && rest.front().size() > 1 && rest.front().front() == '-') {
    const std::string near = nearest_option(rest.front());
    return wrong("unknown option " + rest.front() + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  if (!options.code && !rest.empty()) {
    options.script = rest.front();
    rest.erase(rest.begin());
    if (options.script.empty()) return wrong("the script's name is empty");
  }
  options.arguments = std::move(rest);
  return std::nullopt;
}

// It looks at the machine and at one Python: whatever else is asked for would silently not be done.
std::optional<EarlyExit> check_doctor(const CLI::App& app, const RawOptions& raw, const Options& options, bool something) {
  if (!options.doctor) return std::nullopt;
  for (const OptionRow& row : option_table()) {
    const std::string_view name = row.names;
    const bool fits = name == "--doctor" || name == "--python";
    if (!fits && is_given(row, app, raw)) return wrong(fmt::format("--doctor takes --python only, not {}", name));
  }
  if (something) return wrong("--doctor runs nothing: give the script by itself, without --doctor");
  return std::nullopt;
}

}  // namespace

std::variant<Options, EarlyExit> parse_options(const std::vector<std::string>& given) {
  CLI::App app;
  RawOptions raw;
  std::vector<std::string> arguments = given;
  raw.chain = take_chain(arguments);
  const std::optional<ModuleCall> module = take_module(arguments);
  if (module && module->name.empty()) return wrong(needs_text("-m"));
  declare(app, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return wrong(parse_text(error));
  }
  if (raw.help) return EarlyExit{0, help_text()};
  if (raw.version) return EarlyExit{0, fmt::format("dlscope {}\n", core::version())};
  Options options;
  const std::vector<std::string> rest = app.remaining();
  const auto own = std::span(arguments).first(arguments.size() - rest.size());
  if (auto early_exit = check_paths(app, raw, own)) return *early_exit;
  if (auto early_exit = take_run(app, raw, options)) return *early_exit;
  if (auto early_exit = take_pictures(app, raw, options)) return *early_exit;
  if (app.count("--prove") > 1)
    return wrong("--prove is given more than once: it judges one chain, as in --prove x y z; without names it probes every pair");
  options.prove = raw.prove;
  options.chain = raw.chain;
  if (options.chain.size() == 1)
    return wrong(fmt::format("--prove {}: it takes at least two names: the one that hands over and the one that receives it",
                             raw.chain[0]));
  if (auto early_exit = take_script(rest, arguments, options)) return *early_exit;
  if (auto early_exit = check_something_is_drawn(app, options)) return *early_exit;
  if (module) {
    if (options.code) return wrong("-c and -m are both given: run code or a module");
    options.module = module->name;
    options.arguments = module->arguments;
  }
  const bool something = !options.script.empty() || options.code.has_value() || module;
  if (auto early_exit = check_doctor(app, raw, options, something)) return *early_exit;
  if (options.run && !something && !options.doctor) {
    return wrong(options.headless ? "there is nothing to run: give a script, -c CODE or -m MODULE"
                                  : "--run needs a script, -c CODE or -m MODULE");
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
  std::vector<std::string> names;
  for (const OptionRow& row : option_table()) names.emplace_back(row.names);
  return names;
}

}  // namespace dlscope::app
