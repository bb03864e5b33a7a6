#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "app/cli/expectation.h"
#include "app/models/focus/go_to.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/struct_answer.h"
#include "app/models/script/output_model.h"
#include "app/models/table/table_filter.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/session/settings.h"
#include "core/report/report.h"
#include "core/wire/messages.h"
#include "core/wire/snapshot_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::fuzz {
namespace {

namespace wire = core::wire;

constexpr std::uint32_t kMostInspected = 32;

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
  for (std::uint32_t id = 0; id < std::min(size, kMostInspected); ++id) static_cast<void>(app::inspect(*index, id));
}

void run_snapshot(std::span<const std::byte> input) {
  const auto snapshot = wire::decode_snapshot(input);
  if (!snapshot) return;
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
}

// ---- the messages, both ways ----

template <class Message>
Bytes with_kind(const Message& message) {
  const wire::RawMessage raw = wire::encode(message);
  Bytes bytes(2 + raw.payload.size());
  bytes[0] = static_cast<std::byte>(raw.kind & 0xff);
  bytes[1] = static_cast<std::byte>(raw.kind >> 8);
  std::ranges::copy(raw.payload, bytes.begin() + 2);
  return bytes;
}

wire::RawMessage message_in(std::span<const std::byte> input) {
  wire::RawMessage raw;
  if (input.size() < 2) return raw;
  raw.kind = static_cast<std::uint16_t>(static_cast<unsigned>(input[0]) | static_cast<unsigned>(input[1]) << 8);
  raw.payload.assign(input.begin() + 2, input.end());
  return raw;
}

std::vector<Bytes> to_host_seeds() {
  wire::Run run;
  run.run = 3;
  run.path = "script.py";
  run.source = "x = 1\n";
  run.arguments = {"--n", "3", ""};
  return {with_kind(wire::ToHost(run)), with_kind(wire::ToHost(wire::Scan{7})), with_kind(wire::ToHost(wire::Stop{2})),
          with_kind(wire::ToHost(wire::Shutdown{})), with_kind(wire::ToHost(wire::Start{5, {}})),
          with_kind(wire::ToHost(wire::Cancel{5})),
          with_kind(wire::ToHost(wire::SetBreakpoints{{{1, "a.py", 12, "x > 3", 2, "x is {x}", true}}, true, true})),
          with_kind(wire::ToHost(wire::Pause{})), with_kind(wire::ToHost(wire::Resume{3, wire::ResumeKind::run_to, "a.py", 14})),
          with_kind(wire::ToHost(wire::Ask{9, "complete", R"({"text": "x.", "cursor": 2})"}))};
}

void run_to_host(std::span<const std::byte> input) {
  const auto message = wire::decode_to_host(message_in(input));
  if (!message) return;
  const wire::RawMessage again = wire::encode(*message);
  const auto twice = wire::decode_to_host(again);
  hold(twice.has_value() && wire::encode(*twice).payload == again.payload, "what was understood can be said again");
}

std::vector<Bytes> to_viewer_seeds() {
  core::RunOutcome outcome;
  outcome.outcome = core::Outcome::raised;
  outcome.script_path = "script.py";
  outcome.exit_code = 1;
  outcome.error = core::ScriptError{"ValueError", "no", 3, "Traceback\n"};
  return {with_kind(wire::ToViewer(wire::Hello{"build", 17, "3.11.7", "/usr/bin/python3", "/usr", "/usr"})),
          with_kind(wire::ToViewer(wire::RunStarted{3})),
          with_kind(wire::ToViewer(wire::RunFinished{3, outcome})),
          with_kind(wire::ToViewer(wire::SnapshotReady{4, 3, core::Scanned::end})),
          with_kind(wire::ToViewer(wire::Notice{"words"})),
          with_kind(wire::ToViewer(wire::ScanFinished{7, wire::ScanResult::failed, "why"})),
          with_kind(wire::ToViewer(wire::Progress{5, 10, 20, {}})), with_kind(wire::ToViewer(wire::Part{5, {}})),
          with_kind(wire::ToViewer(wire::WorkEnded{5, wire::WorkOutcome::failed, "why", {}})),
          with_kind(wire::ToViewer(wire::LeaseChanged{1, {}, true, {}, "words"})),
          with_kind(wire::ToViewer(wire::BreakpointsChanged{{{1, 13, 4, "why"}}})),
          with_kind(wire::ToViewer(wire::Stopped{3, {}, "MainThread", "words", 1, {{"f", "a.py", 4, true}}})),
          with_kind(wire::ToViewer(wire::Resumed{3})),
          with_kind(wire::ToViewer(wire::Answer{9, "struct", R"({"found": true})", ""}))};
}

void run_to_viewer(std::span<const std::byte> input) {
  const auto message = wire::decode_to_viewer(message_in(input));
  if (!message) return;
  const wire::RawMessage again = wire::encode(*message);
  const auto twice = wire::decode_to_viewer(again);
  hold(twice.has_value() && wire::encode(*twice).payload == again.payload, "what was understood can be said again");
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

void run_terminal(std::span<const std::byte> input) {
  const std::string whole = shown(input, {});
  if (input.size() > 256) return;
  std::vector<std::size_t> every;
  for (std::size_t cut = 1; cut < input.size(); ++cut) every.push_back(cut);
  hold(shown(input, every) == whole, "byte by byte it shows the same");
  for (std::size_t cut = 1; cut < std::min<std::size_t>(input.size(), 24); ++cut)
    hold(shown(input, {&cut, 1}) == whole, "cut in two it shows the same");
}

// ---- texts of people and of Python ----

void run_filter(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tests::tour_snapshot();
  static app::GroupColours colours;
  static const app::IndexPtr index = app::build_index(snapshot, colours);
  app::RowFilter filter(*index, text_of(input));
  for (std::uint32_t id = 0; id < index->size(); ++id) static_cast<void>(filter.keeps(id));
}

void run_expectation(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tests::tour_snapshot();
  const auto expectation = app::parse_expectation(text_of(input));
  if (!expectation) return;
  const app::Verdict verdict = app::judge(*expectation, snapshot.get());
  hold(!verdict.evidence.empty(), "a verdict has its evidence");
}

void run_answer(std::span<const std::byte> input) {
  static_cast<void>(app::read_struct_answer(text_of(input)));
  static_cast<void>(app::read_protocols_answer(text_of(input)));
}

void run_settings(std::span<const std::byte> input) {
  static_cast<void>(app::is_arrangement(text_of(input)));
  const auto settings = app::parse_settings(text_of(input));
  if (!settings) return;
  const auto again = app::parse_settings(app::settings_text(*settings));
  hold(again.has_value() && *again == *settings, "settings that were read can be written and read again");
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
      bytes_of(R"({"found": true, "not_called": "", "protocol": "dlpack", "capsule": "dltensor", "held": false, "taken": true,)"
               R"( "blocks": [{"title": "DLManagedTensor", "address": "0x7f00", "bytes": "00 01", "readable": 2, "fields":)"
               R"( [{"name": "data", "type": "void *", "offset": 0, "size": 8}]}], "refusals": []})"),
      bytes_of(R"({"found": true, "is_capsule": false, "not_called": "", "protocols": [{"name": "dlpack", "offered": true,)"
               R"( "accepted": false, "type": "BufferError", "message": "no"}]})")};
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

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      {"snapshot", snapshot_seeds, run_snapshot},
      {"to_host", to_host_seeds, run_to_host},
      {"to_viewer", to_viewer_seeds, run_to_viewer},
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
      {"settings",
       settings_seeds,
       run_settings,
       {"{", "}", "[", "]", "null", "1e999", "-1", "\"\"", "DockNode ID=", "Parent=", "0xffffffff"}},
  };
  return all;
}

}  // namespace dlscope::fuzz
