#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include "app/cli/expectation.h"
#include "app/models/debug/watch_values.h"
#include "app/models/exchange/referrers.h"
#include "app/models/exchange/capsule_life.h"
#include "app/models/exchange/exchange_choice.h"
#include "app/models/exchange/hand_over_steps.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/life_answer.h"
#include "app/models/focus/go_to.h"
#include "app/models/hex/byte_pattern.h"
#include "app/models/hex/hex_destination.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/script/output_model.h"
#include "app/models/table/table_filter.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/session/settings.h"
#include "core/report/report.h"
#include "core/wire/snapshot_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::fuzz {
namespace {

namespace wire = core::wire;

constexpr std::uint32_t kMaxInspected = 32;

std::vector<core::SnapshotPtr> samples() {
  return {tests::tour_snapshot(), tests::broken_snapshot(), tests::empty_snapshot(), tests::scalar_snapshot(),
          tests::many_snapshot(20)};
}

// ---- snapshot -> index -> inspector -> report ----

std::vector<Bytes> snapshot_seeds() {
  std::vector<Bytes> seeds;
  for (const core::SnapshotPtr& snapshot : samples()) {
    Bytes bytes(wire::encoded_size(*snapshot));
    hold(wire::encode_snapshot(*snapshot, bytes) == bytes.size(), "a snapshot takes the room it says");
    seeds.push_back(std::move(bytes));
  }
  return seeds;
}

void look_at(const core::SnapshotPtr& snapshot) {
  app::GroupColours colours;
  const app::IndexPtr index = app::build_index(snapshot, colours);
  const auto size = static_cast<std::uint32_t>(snapshot->tensors.size());
  for (std::uint32_t id = 0; id < std::min(size, kMaxInspected); ++id) static_cast<void>(app::inspect(*index, id));
}

bool run_snapshot(std::span<const std::byte> input) {
  const auto snapshot = wire::decode_snapshot(input);
  if (!snapshot) return false;
  look_at(*snapshot);
  std::string json;
  core::ReportInput report;
  report.snapshot = snapshot->get();
  hold(core::write_report(report,
                          [&](std::string_view piece) {
                            json += piece;
                            return true;
                          }),
       "a report is written");
  hold(nlohmann::json::accept(json), "a report is JSON");
  return true;
}

// ---- the console's terminal: what it shows does not depend on where its input was cut ----

std::vector<Bytes> terminal_seeds() {
  return {bytes_of("one\r\ntwo\x1b[1;31mred\x1b[0m\n"), bytes_of("50%|##  |\r100%|####|\n"), bytes_of("a\tb\b\bX\x1b[K\n"),
          bytes_of("\x1b]0;title\x07text \x1b[38;2;1;2;3mrgb\x1b[m \xe2\x82\xac \xf0\x9f\x98\x80"),
          bytes_of("a\nb\x1b[A\rX\x1b[2B\x1b[3C\x1b[5G!")};
}

std::string shown(std::span<const std::byte> input, std::span<const std::size_t> cuts) {
  app::OutputModel output;
  const std::string_view text = text_of(input);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    output.append(text.substr(from, cut - from));
    while (output.digest()) {
    }
    from = cut;
  }
  output.append(text.substr(from));
  while (output.digest()) {
  }
  return output.all_text();
}

bool run_terminal(std::span<const std::byte> input) {
  const std::string whole = shown(input, {});
  std::vector<std::size_t> every;
  for (std::size_t cut = 1; cut < input.size(); ++cut) every.push_back(cut);
  hold(shown(input, every) == whole, "byte by byte it shows the same");
  // Of a long input as many places as keep a run short, at a distance that is prime to most sequences' lengths.
  constexpr std::size_t kAllCuts = 256;
  const std::size_t step = input.size() <= kAllCuts ? 1 : input.size() / kAllCuts * 2 + 1;
  for (std::size_t cut = 1; cut < input.size(); cut += step)
    hold(shown(input, {&cut, 1}) == whole, "cut in two it shows the same");
  return true;
}

// ---- texts of people and of Python ----

bool run_filter(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tests::tour_snapshot();
  static app::GroupColours colours;
  static const app::IndexPtr index = app::build_index(snapshot, colours);
  app::RowFilter filter(*index, text_of(input));
  for (std::uint32_t id = 0; id < index->size(); ++id) static_cast<void>(filter.keeps(id));
  return filter.complaint().empty();
}

bool run_expectation(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tests::tour_snapshot();
  const auto expectation = app::parse_expectation(text_of(input));
  if (!expectation) return false;
  const app::Verdict verdict = app::judge(*expectation, snapshot.get());
  hold(!verdict.evidence.empty(), "a verdict has its evidence");
  return true;
}

bool run_answer(std::span<const std::byte> input) {
  const std::string_view text = text_of(input);
  const bool is_json = app::read_libraries(text).has_value();
  static_cast<void>(app::read_plan(text));
  if (const auto steps = app::read_steps(text))
    hold(steps->left >= 0 && steps->left <= app::kHandOverSteps, "no more steps are left than a hand-over has");
  static_cast<void>(app::read_life(text));
  if (const auto referrers = app::read_referrers(text)) hold(referrers->what.size() <= 64, "the list of referrers has an end");
  static_cast<void>(app::read_capsules_alive(text));
  if (const auto capsules = app::read_capsules(text))
    hold(app::capsule_log(*capsules, "").size() <= app::kMaxCapsules * app::kMaxCapsuleEvents,
         "the log of capsules has an end");
  hold(app::values_from_json(text, 3).size() == 3, "every watch has a value or an error");
  return is_json;
}

// What is typed into the hex view: a place, and bytes to look for.
bool run_hex(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tests::tour_snapshot();
  static app::GroupColours colours;
  static const app::IndexPtr index = app::build_index(snapshot, colours);
  const std::string_view text = text_of(input);
  bool understood = false;
  const app::HexDestination there = app::hex_destination(index.get(), *index->find("x"), text);
  hold(there.tensor == core::kNone32 || there.tensor < index->size(), "a place is in a tensor that there is");
  understood = there.problem.empty();
  for (const char* const code : {"float32", "int16", "bool"}) {
    const core::DType own = *core::dtype_from_name(code);
    const auto turned = static_cast<std::uint8_t>(own.bits > 8 && text.size() % 2 == 0 ? own.bits / 8 : 0);
    const auto pattern = app::BytePattern::parse(text, app::OwnNumbers{{own, turned}, own.bits});
    if (!pattern) continue;
    understood = true;
    hold(pattern->size() > 0 && pattern->size() <= app::BytePattern::kMaxBytes, "a pattern has a size");
    const std::vector<std::byte> copy(input.begin(), input.end());  // its end is the end of an allocation
    const auto first = pattern->find(copy, 0), last = pattern->find_last(copy, 0);
    hold(first.has_value() == last.has_value(), "what is found from the front is found from the back");
    hold(!first || (*first <= *last && *last + pattern->size() <= copy.size()), "what is found lies in the bytes");
  }
  return understood;
}

bool run_settings(std::span<const std::byte> input) {
  const bool is_arrangement = app::is_arrangement(text_of(input));
  const auto settings = app::parse_settings(text_of(input));
  if (!settings) return is_arrangement;
  const auto again = app::parse_settings(app::settings_text(*settings));
  hold(again.has_value() && *again == *settings, "settings that were read can be written and read again");
  return true;
}

std::vector<Bytes> filter_seeds() {
  return {bytes_of("float32 device:cpu"), bytes_of("shares:x -library:torch"), bytes_of("bytes:>1k rank:2 \"a b\""),
          bytes_of("0x55812e404a80 is:problem")};
}
std::vector<Bytes> expectation_seeds() {
  return {bytes_of("x shares y"), bytes_of("d['a b'] identical \"my name\""), bytes_of("dlscope copies nothing"),
          bytes_of("x disjoint m[0].w<3>")};
}
std::vector<Bytes> answer_seeds() {
  return {
      bytes_of(R"({"libraries": [{"name": "torch", "version": "2.13", "function": "torch.from_dlpack", "imported": true}]})"),
      bytes_of(
          R"({"line": "y = f(x) ", "known": true, "calls": [{"what": "the capsule of x", "answer": "a capsule", "failed": false}]})"),
      bytes_of(R"({"number": 3, "ended": "", "left": 2, "next": "the name of the capsule", "failed": false,)"
               R"( "capsule": "dltensor", "calls": [{"what": "x.__dlpack__", "answer": "a capsule", "failed": false}]})"),
      bytes_of(R"({"found": true, "chain": ["x", "base"], "allocation": {"bytes": 4096, "source": "storage"}, "owner": "numpy",)"
               R"( "holders": [{"name": "x", "how": "a name"}], "unnamed": 1})"),
      bytes_of(R"({"values": [{"text": "3"}, {"error": "NameError: no"}, {"text": ""}]})")};
}
std::vector<Bytes> hex_seeds() {
  return {bytes_of("0x5581 2e40 4a94 + 0x40"),
          bytes_of("x[3, -1] - 64"),
          bytes_of("#17"),
          bytes_of("de ad ?? ef"),
          bytes_of("'text'"),
          bytes_of("float32 1.5"),
          bytes_of("nan:0x1"),
          bytes_of("= -3"),
          bytes_of("+0x40"),
          bytes_of("float64 nan"),
          bytes_of("x.T[0] + 1e3"),
          bytes_of("0xdeadbeef")};
}
std::vector<Bytes> settings_seeds() {
  app::Settings settings;
  settings.columns = {"name", "bytes"};
  settings.folded = {"memory"};
  settings.keys = {{"run", "F5"}};
  return {
      bytes_of(app::settings_text(settings)), bytes_of(app::settings_text({})),
      bytes_of("DockSpace ID=0x1 Pos=0,0 Size=100,100 Split=X\n  DockNode ID=0x2 Parent=0x1\n  DockNode ID=0x3 Parent=0x1\n")};
}

}  // namespace

std::vector<Target> text_targets() {
  return {
      {"snapshot", snapshot_seeds, run_snapshot, {}, true},
      {"terminal",
       terminal_seeds,
       run_terminal,
       {"\x1b[", "\x1b]", "\x1b\\", "\x07", "\r", "\n", "\b", "\t", ";", "m", "K", "A", "999999999", "\xe2\x82\xac",
        "\xf0\x9f\x98"}},
      {"filter",
       filter_seeds,
       run_filter,
       {"shares:", "is:", "bytes:>", "-", "\"", "0x", "rank:", "device:", "..", "<", "=", "k"}},
      {"expectation",
       expectation_seeds,
       run_expectation,
       {" shares ", " identical ", " disjoint ", "'", "\"", "\\", "[", "]", "x", "y"}},
      {"answer",
       answer_seeds,
       run_answer,
       {"{", "}", "[", "]", "null", "true", "-1", "1e999", "\"\"", "\"fields\":", "99999999999999999999"}},
      {"hex",
       hex_seeds,
       run_hex,
       {"0x", "??", "+", "-", "[", "]", "#", "nan:0x", "float32 ", "int4 ", "= ", "'", "x", ":", ",", "inf", "1e308"}},
      {"settings",
       settings_seeds,
       run_settings,
       {"{", "}", "[", "]", "null", "1e999", "-1", "\"\"", "DockNode ID=", "Parent=", "0xffffffff"}},
  };
}

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> targets = text_targets();
    for (const std::vector<Target>& more : {answer_targets(), wire_targets(), ring_targets(), file_targets(), window_targets()})
      std::ranges::copy(more, std::back_inserter(targets));
    return targets;
  }();
  return all;
}

}  // namespace dlscope::fuzz
