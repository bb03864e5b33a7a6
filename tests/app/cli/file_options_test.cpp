#include "app/cli/file_options.h"

#include <catch2/catch_test_macros.hpp>
#include <variant>

namespace dlscope::app {
namespace {

using Words = std::vector<std::string>;

// What is wrong with `options` before the file, and `arguments` behind it; "": nothing.
std::string wrong(const std::string& file, Words options, const Words& arguments = {}) {
  options.push_back(file);
  options.insert(options.end(), arguments.begin(), arguments.end());
  const auto parsed = parse_options(options);
  if (const auto* early_exit = std::get_if<EarlyExit>(&parsed)) FAIL(early_exit->text);
  return wrong_for_file(std::get<Options>(parsed)).value_or("");
}

constexpr const char* kTrace = "x.streams.json";

}  // namespace

TEST_CASE("A file is run by no option, with and without a window", "[app][cli]") {
  for (const std::string file : {"x.npy", "x.npz", "dir/x.SafeTensors", kTrace}) {
    CAPTURE(file);
    const std::string what = file + (file == kTrace ? " is a recording of streams" : " is a file of tensors");
    CHECK(wrong(file, {}).empty());
    CHECK(wrong(file, {"--headless"}).empty());
    CHECK(wrong(file, {"--run"}) == what + ", which runs nothing: --run needs a script");
    CHECK(wrong(file, {"--headless", "--run"}) == what + ", which runs nothing: --run needs a script");
    CHECK(wrong(file, {"--at", "3"}) == what + ", which runs nothing: --at needs a script");
    CHECK(wrong(file, {"--prove", "--headless"}) == what + ", which runs nothing: --prove needs a script");
    CHECK(wrong(file, {"--headless"}, {"--report"}) == what + ": it takes no arguments, and options come before it");
    CHECK(wrong(file, {}, {"argument"}) == what + ": it takes no arguments, and options come before it");
  }
}

TEST_CASE("Values of a file are reported, drawn and judged", "[app][cli]") {
  CHECK(wrong("x.npy", {"--report", "-", "--stats", "exact", "--timeout", "3", "--expect", "x shares y"}).empty());
  CHECK(wrong("x.npy", {"--screenshot", "p.png", "--size", "800x600", "--layout", "debug", "--select", "x"}).empty());
}

TEST_CASE("A Python is not silently ignored beside a file of tensors, which has none", "[app][cli]") {
  const std::string words = "x.npy is a file of tensors, which runs nothing: --python needs a script";
  CHECK(wrong("x.npy", {"--python", "/nonexistent"}) == words);
  CHECK(wrong("x.npy", {"--headless", "--python", "/nonexistent"}) == words);
}

TEST_CASE("Without a window a recording has its verdict only", "[app][cli]") {
  for (const Words& options :
       {Words{"--report", "-"}, {"--stats", "none", "--timeout", "3"}, {"--stats", "exact"}, {"--python", "python3"},
        {"--screenshot", "p.png"}, {"--expect", "x shares y"}, {"--size", "800x600"}, {"--scale", "2"}, {"--theme", "dark"}}) {
    CAPTURE(options);
    Words headless = options;
    headless.insert(headless.begin(), "--headless");
    CHECK(wrong(kTrace, headless) == "x.streams.json is a recording of streams: of the options it takes --headless only");
  }
  CHECK(wrong(kTrace, {"--size", "800x600", "--scale", "2", "--python", "python3"}).empty());
}

TEST_CASE("A script takes what it is given", "[app][cli]") {
  CHECK(wrong("x.py", {"--headless", "--run", "--prove", "--at", "3"}, {"argument"}).empty());
  CHECK(wrong("data.json", {"--run"}).empty());
}

}  // namespace dlscope::app
