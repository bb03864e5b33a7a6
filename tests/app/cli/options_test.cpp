#include "app/cli/options.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace dlscope::app;
namespace core = dlscope::core;

namespace {

Options parsed(std::vector<std::string> arguments) {
  auto result = parse_options(arguments);
  if (const auto* early_exit = std::get_if<EarlyExit>(&result)) FAIL(early_exit->text);
  return std::get<Options>(result);
}

EarlyExit refused(std::vector<std::string> arguments) {
  auto result = parse_options(arguments);
  REQUIRE(std::holds_alternative<EarlyExit>(result));
  return std::get<EarlyExit>(result);
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("Nothing at all opens an empty window", "[app][cli]") {
  const Options options = parsed({});
  CHECK(options.script.empty());
  CHECK_FALSE(options.headless);
  CHECK_FALSE(options.run);
}

TEST_CASE("Options end at the first positional argument", "[app][cli]") {
  const Options options = parsed({"--headless", "s.py", "--report", "x", "--", "-c", "y"});
  CHECK(options.script == "s.py");
  CHECK(options.report.empty());
  CHECK(options.arguments == Words{"--report", "x", "--", "-c", "y"});
}

TEST_CASE("Options end at two dashes", "[app][cli]") {
  const Options options = parsed({"--headless", "--", "--strange.py", "--", "-x"});
  CHECK(options.script == "--strange.py");
  CHECK(options.arguments == Words{"--", "-x"});
}

TEST_CASE("With -c every positional argument is the code's", "[app][cli]") {
  const Options options = parsed({"-c", "print(1)", "a", "--headless"});
  CHECK(options.code == "print(1)");
  CHECK(options.script.empty());
  CHECK(options.arguments == Words{"a", "--headless"});
  CHECK_FALSE(options.headless);
  CHECK(parsed({"-c", "", "--run"}).code == "");
}

TEST_CASE("With -m every word behind the name is the module's, as with python -m", "[app][cli]") {
  const Options options = parsed({"--headless", "-m", "pkg.train", "--headless", "-m", "x", "--", "data.py"});
  CHECK(options.module == "pkg.train");
  CHECK(options.script.empty());
  CHECK(options.arguments == Words{"--headless", "-m", "x", "--", "data.py"});
  CHECK(parsed({"train.py", "-m", "pkg"}).script == "train.py");
  CHECK(parsed({"train.py", "-m", "pkg"}).arguments == Words{"-m", "pkg"});
  CHECK(parsed({"--", "-m", "pkg"}).script == "-m");
  CHECK(parsed({"-c", "-m", "pkg"}).code == "-m");
  const Options chain = parsed({"--prove", "a", "b", "-m", "pkg", "c"});
  CHECK(chain.module == "pkg");
  CHECK(chain.chain == Words{"a", "b"});
  CHECK(chain.arguments == Words{"c"});
}

TEST_CASE("What only makes sense without a window implies it", "[app][cli]") {
  for (const Words& words : {Words{"--report", "r", "s.py"},
                             {"--screenshot", "p.png", "s.py"},
                             {"--expect", "dlscope copies nothing", "s.py"},
                             {"--headless", "s.py"}}) {
    const Options options = parsed(words);
    CHECK(options.headless);
    CHECK(options.run);
    CHECK(options.script == "s.py");
  }
}

TEST_CASE("Standard output has several names", "[app][cli]") {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"}) CHECK(parsed({"--report", name, "s.py"}).report == "-");
  CHECK(parsed({"--report=-", "s.py"}).report == "-");
}

TEST_CASE("Expectations do not eat the script", "[app][cli]") {
  const Options options = parsed({"--expect", "a shares b", "--expect", "dlscope copies nothing", "s.py", "z"});
  REQUIRE(options.expectations.size() == 2);
  CHECK(options.script == "s.py");
  CHECK(options.arguments == Words{"z"});
}

TEST_CASE("Numbers are read with their limits", "[app][cli]") {
  const Options options = parsed({"--screenshot", "p.png", "--size", "1920x1080", "--scale", "2.0", "--layout", "teach",
                                  "--theme", "light", "--select", "x", "--timeout", "1.5", "s.py"});
  CHECK(options.width == 1920);
  CHECK(options.height == 1080);
  CHECK(options.scale == 2.0F);
  CHECK(options.layout == LayoutPreset::teach);
  CHECK(options.theme == ThemeChoice::light);
  CHECK(options.select == "x");
  CHECK(options.timeout_seconds == 1.5);
}

TEST_CASE("Wrong usage is one line and a 2", "[app][cli]") {
  const std::vector<Words> wrong{{"--bogus", "s.py"},
                                 {"--headless", "--bogus"},
                                 {"-x"},
                                 {"--stats", "exact", "s.py"},
                                 {"--stats", "all", "--headless", "s.py"},
                                 {"--matrix", "s.py"},
                                 {"--headless"},
                                 {"--run"},
                                 {"--report", "s.py"},
                                 {"--report"},
                                 {"-c"},
                                 {"-m"},
                                 {"-m", ""},
                                 {"-c", "x = 1", "-m", "pkg"},
                                 {"--python", "a", "--python", "b", "s.py"},
                                 {"--timeout", "1", "s.py"},
                                 {"--headless", "--timeout", "-1", "s.py"},
                                 {"--headless", "--timeout", "inf", "s.py"},
                                 {"--headless", "--timeout", "x", "s.py"},
                                 {"--screenshot", "p.png", "--size", "10x", "s.py"},
                                 {"--screenshot", "p.png", "--size", "1920x1080x2", "s.py"},
                                 {"--screenshot", "p.png", "--size", "99999x99999", "s.py"},
                                 {"--screenshot", "p.png", "--scale", "0", "s.py"},
                                 {"--screenshot", "p.png", "--scale", "nan", "s.py"},
                                 {"--screenshot", "p.png", "--layout", "x", "s.py"},
                                 {"--screenshot", "p.png", "--theme", "x", "s.py"},
                                 {"--select", "x", "s.py"},
                                 {"--headless", "--size", "800x600", "s.py"},
                                 {"--headless", "--scale", "2", "s.py"},
                                 {"--report", "-", "--layout", "teach", "s.py"},
                                 {"--expect", "x shares y", "--theme", "dark", "s.py"},
                                 {"--prove", "x y", "--prove", "x z", "s.py"},
                                 {"--expect", "x y z", "s.py"},
                                 {""}};
  for (const Words& words : wrong) {
    CAPTURE(words);
    const EarlyExit early_exit = refused(words);
    CHECK(early_exit.exit_code == 2);
    CHECK(early_exit.text.starts_with("dlscope: "));
    CHECK(std::count(early_exit.text.begin(), early_exit.text.end(), '\n') == 1);
  }
}

TEST_CASE("Help speaks of every option and of no other", "[app][cli]") {
  const EarlyExit help = refused({"--help"});
  CHECK(help.exit_code == 0);
  for (const std::string& names : known_options()) {
    const std::string name = names.substr(names.rfind(',') + 1);
    CAPTURE(name);
    CHECK(help.text.find("  " + name + " ") != std::string::npos);
  }
  CHECK(help.text.find("--matrix") == std::string::npos);
  CHECK(help.text.find("\n  --stats none|sample|exact\n                           count, ") != std::string::npos);
  CHECK(help.text.find("\n--report, --expect, --prove, --at and --screenshot imply --headless. ") != std::string::npos);
  CHECK(refused({"--version"}).text.starts_with("dlscope "));
  CHECK(help.text.find("a recording of streams holds a race, 5 ") != std::string::npos);  // an exit code, too
}

TEST_CASE("A path is neither empty nor one of our options", "[app][cli]") {
  for (const Words& words : {Words{"--report", "-c", "a.py"},
                             {"--report=", "-c", "x = 1"},
                             {"--report=", "a.py", "b.py"},
                             {"--report", "", "a.py"},
                             {"--screenshot", "--headless", "a.py"},
                             {"--screenshot=--size=8x8", "a.py"},
                             {"--python", "--report=r.json", "a.py"}}) {
    CAPTURE(words);
    const EarlyExit early_exit = refused(words);
    CHECK(early_exit.exit_code == 2);
    CHECK(early_exit.text.find(" needs a path, not ") != std::string::npos);
  }
  CHECK(parsed({"--report", "./-c", "a.py"}).report == "./-c");
  CHECK(parsed({"a.py", "--report=", "-c"}).arguments == Words{"--report=", "-c"});
}

TEST_CASE("A picture does not go to standard output", "[app][cli]") {
  const EarlyExit early_exit = refused({"--screenshot", "-", "a.py"});
  CHECK(early_exit.exit_code == 2);
  CHECK(early_exit.text.find("not to standard output") != std::string::npos);
}

TEST_CASE("Options of ours behind the script are found", "[app][cli]") {
  CHECK(option_behind_script(parsed({"a.py", "x", "--headless"})) == "--headless");
  CHECK(option_behind_script(parsed({"a.py", "--report=r.json"})) == "--report=r.json");
  CHECK_FALSE(option_behind_script(parsed({"--headless", "a.py", "--epochs", "3"})));
}

TEST_CASE("A wrong value is refused in our own words", "[app][cli]") {
  const auto said = [](const Words& words) { return refused(words).text; };
  CHECK(said({"--headless", "--timeout", "abc", "s.py"})
            .starts_with("dlscope: --timeout needs a number of seconds above 0, not abc"));
  CHECK(said({"--headless", "--timeout"}).starts_with("dlscope: --timeout needs a number of seconds above 0 ("));
  CHECK(said({"--scale", "big", "s.py"}).starts_with("dlscope: --scale needs a number from 1.0 to 3.0, not big"));
  CHECK(said({"--report"}).starts_with("dlscope: --report needs a file, or - for standard output"));
  CHECK(said({"--python", "a", "--python", "b", "s.py"}).starts_with("dlscope: --python is given more than once"));
  CHECK(said({"--at"}).starts_with("dlscope: --at needs a moment, as in 12, 12#3, model.py:40 or main:return ("));
  CHECK(said({"--at", "3", "--at", "4", "x.py"}).starts_with("dlscope: --at is given more than once"));
  CHECK(said({"--headless=x", "s.py"}).find("FLAG") == std::string::npos);
  for (const char* type : {"TEXT", "FLOAT", "convert"}) CHECK(said({"--select"}).find(type) == std::string::npos);
}

TEST_CASE("What is said of a wrong argument holds no control characters of it", "[app][cli]") {
  const auto said = [](const Words& words) { return refused(words).text; };
  CHECK(said({"--report\x1b[31m", "s.py"}).find("--report\\x1b[31m") != std::string::npos);
  for (const Words& words : {Words{"--\x1b]0;title\a", "s.py"},
                             {"--headless", "--timeout", "1\n2", "s.py"},
                             {"--layout", "\x9b" "31m", "s.py"},
                             {"--headless", "--at", "x\r", "s.py"},
                             {"--headless", "--expect", "x \x1b[2J y", "s.py"}}) {
    CAPTURE(words);
    const std::string text = said(words);
    CHECK(std::ranges::all_of(text.substr(0, text.size() - 1), [](unsigned char c) { return 0x20 <= c && c < 0x7f; }));
    CHECK(text.ends_with(")\n"));
  }
}

TEST_CASE("A misspelt option is answered with the nearest one", "[app][cli]") {
  const auto said = [](const char* word) { return refused({word, "s.py"}).text; };
  CHECK(said("--headles").find("did you mean --headless?") != std::string::npos);
  CHECK(said("--reprot=x").find("did you mean --report?") != std::string::npos);
  CHECK(said("--screen").find("did you mean --screenshot?") != std::string::npos);
  CHECK(said("--quality").find("did you mean") == std::string::npos);
  CHECK(said("-x").find("did you mean") == std::string::npos);
}

TEST_CASE("A picture is a PNG by its name", "[app][cli]") {
  const std::string said = refused({"--screenshot", "out/p.jpg", "s.py"}).text;
  CHECK(said.find("pictures are written as PNG; call it out/p.png") != std::string::npos);
  CHECK(refused({"--screenshot", "p", "s.py"}).exit_code == 2);
  CHECK(parsed({"--screenshot", "P.PNG", "s.py"}).screenshot == "P.PNG");
}

TEST_CASE("The option --stats names a method", "[app][cli]") {
  const auto method = [](const char* word) {
    const auto parsed = parse_options({"--headless", "--stats", word, "s.py"});
    REQUIRE(std::holds_alternative<Options>(parsed));
    return std::get<Options>(parsed).statistics;
  };
  CHECK(method("none") == core::StatisticsMethod::none);
  CHECK(method("sample") == core::StatisticsMethod::sample);
  CHECK(method("exact") == core::StatisticsMethod::exact);
}

TEST_CASE("The doctor does not silently drop what else was asked for", "[app][cli]") {
  CHECK(parsed({"--doctor", "--python", "python3"}).doctor);
  using Words = std::vector<std::string>;
  for (const auto& [option, words] :
       {std::pair<std::string, Words>{"--report", {"--doctor", "--report", "r.json", "s.py"}},
        {"--prove", {"--prove", "x", "y", "--doctor"}},
        {"--theme", {"--doctor", "--theme", "dark"}},
        {"-c", {"--doctor", "-c", "1"}}}) {
    CHECK(refused(words).text.starts_with("dlscope: --doctor takes --python only, not " + option + " ("));
    CHECK(refused(words).exit_code == 2);
  }
  for (const Words& words : {Words{"--doctor", "s.py"}, {"--doctor", "-m", "pkg"}, {"--doctor", "--", "s.py"}})
    CHECK(refused(words).text.starts_with("dlscope: --doctor runs nothing"));
}
