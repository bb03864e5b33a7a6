#include "app/cli/tables.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/plain_text.h"
#include "tests/support/sample_snapshot.h"

using namespace dlscope;
using namespace dlscope::app;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("Nothing found is said in a sentence", "[app][cli]") {
  const auto empty = dlscope::tests::empty_snapshot();
  CHECK(lines_of(tensor_table(*empty)).size() == 1);
  CHECK(lines_of(sharing_table(*empty)).size() == 1);
}

TEST_CASE("Every tensor has a row in which its facts stand", "[app][cli]") {
  const auto snapshot = dlscope::tests::tour_snapshot();
  const auto lines = lines_of(tensor_table(*snapshot));
  CHECK(lines.size() == 2 + snapshot->tensors.size());
  const auto row = std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("  x "); });
  REQUIRE(row != lines.end());
  CHECK(row->find("numpy") != std::string::npos);
  CHECK(row->find("0x") != std::string::npos);
  CHECK(lines_of(sharing_table(*snapshot)).size() == 2 + snapshot->pairs.size());
}

TEST_CASE("Nothing is said to share nothing when that is not known", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const std::vector<SampleTensor> apart = {{.name = "x", .address = 0x558120010000, .shape = {4}},
                                           {.name = "y", .address = 0x558120020000, .shape = {4}}};
  CHECK(sharing_table(*dlscope::tests::snapshot_of(apart)) == "No two tensors share bytes.\n");
  std::vector<SampleTensor> with_null = apart;
  with_null.push_back({.name = "null", .address = 0, .shape = {4}});
  CHECK(sharing_table(*dlscope::tests::snapshot_of(with_null)) ==
        "No two tensors whose bytes are known share any; of 1 tensor they are not known.\n");
  std::vector<SampleTensor> elsewhere = apart;
  elsewhere.push_back({.name = "usm", .address = 0x1000, .shape = {2}, .device = {14, 0}});
  auto one_api = std::make_shared<dlscope::core::Snapshot>(*dlscope::tests::snapshot_of(elsewhere));
  one_api->tensors[2].extent = one_api->tensors[0].extent;  // as where there is no map: with one, it is the host's memory
  CHECK(sharing_table(*one_api) ==
        "No two tensors of the same memory share bytes. Some have the same addresses on different devices, and whether that is the "
        "same memory is unknown.\n");
  std::vector<SampleTensor> same = apart;
  same[1].address = same[0].address;
  same[1].shape = {2};
  const auto stopped = dlscope::tests::snapshot_of(same, 1, dlscope::tests::stopped_limits());
  CHECK(sharing_table(*stopped) == "Which tensors share bytes is unknown: the analysis was stopped.\n");
}

TEST_CASE("A list of pairs that is cut short says so and why", "[app][cli]") {
  core::SharingLimits limits;
  limits.max_pairs = 2;
  const std::vector<dlscope::tests::SampleTensor> same(3, {.name = "x", .address = 0x558120010000, .shape = {4}});
  const auto lines = lines_of(sharing_table(*dlscope::tests::snapshot_of(same, 1, limits)));
  REQUIRE(lines.size() == 5);
  CHECK(lines.back() == "The list of pairs was cut short: there are more pairs than may be listed.");
}

TEST_CASE("An unknown pair has its reason in its row, and no method", "[app][cli]") {
  const auto snapshot = dlscope::tests::snapshot_of(
      {{.name = "x", .address = 0x558120010000, .shape = {4}}, {.name = "liar", .address = 0x558120010000, .shape = {1 << 30}}});
  const auto lines = lines_of(sharing_table(*snapshot));
  REQUIRE(lines.size() == 3);
  CHECK(lines[2].find("unknown, unreadable") != std::string::npos);
  CHECK(lines[2].find("extent") == std::string::npos);
}

TEST_CASE("Columns are aligned", "[app][cli]") {
  const auto lines = lines_of(sharing_table(*dlscope::tests::tour_snapshot()));
  const auto column = lines[1].find("relation");
  REQUIRE(column != std::string::npos);
  for (std::size_t i = 2; i < lines.size(); ++i) {
    CHECK(lines[i][column] != ' ');
    CHECK(lines[i][column - 1] == ' ');
  }
}

TEST_CASE("Many tensors are counted, not listed", "[app][cli]") {
  const auto snapshot = dlscope::tests::many_snapshot(10'000);
  const std::string table = tensor_table(*snapshot);
  CHECK(lines_of(table).size() == 2 + kMaxRows + 1);
  CHECK(table.find("9 940 more tensors") != std::string::npos);
  CHECK(table.size() < 20'000);
}

TEST_CASE("Trouble fits its row and stays on its line", "[app][cli]") {
  const auto snapshot = dlscope::tests::broken_snapshot();
  const auto lines = lines_of(tensor_table(*snapshot));
  CHECK(lines.size() == 2 + snapshot->tensors.size());
  for (const std::string& line : lines) {
    CHECK(columns_of(line) < 320);
    CHECK(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  }
}

TEST_CASE("The table says of a tensor what the window says", "[app][cli]") {
  const std::string table = tensor_table(*dlscope::tests::tour_snapshot());
  const auto row = [&](const std::string& name) {
    for (const std::string& line : lines_of(table)) {
      if (line.starts_with("  " + name + " ")) return line;
    }
    return std::string();
  };
  CHECK(row("x[::-1]").find("reversed") != std::string::npos);
  CHECK(row("w").find("broadcast") != std::string::npos);
  CHECK(row("mask").find("read-only") != std::string::npos);
}

TEST_CASE("The table says that a tensor is not aligned, and that it overlaps itself", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  SampleTensor odd{.name = "odd", .address = 0x558120010001, .shape = {4}};
  odd.remarks = {{core::RemarkCode::unaligned, ""}};
  const SampleTensor windows{.name = "windows", .address = 0x558120020000, .shape = {6, 3}, .strides = {1, 1}};
  const auto lines = lines_of(tensor_table(*dlscope::tests::snapshot_of({odd, windows})));
  REQUIRE(lines.size() == 4);
  CHECK(lines[2].ends_with("   not aligned"));
  CHECK(lines[3].ends_with("   overlaps itself"));
}

TEST_CASE("Shapes and strides are never cut within a number, and remarks never within one", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  SampleTensor deep{.name = "deep", .address = 0x558120010000, .shape = {100, 1, 1, 100, 1, 1, 1, 1, 1, 1, 1}};
  const std::string shape = "(100, 1, 1, 100, 1, 1, 1, 1, 1, 1, 1)";
  for (const core::RemarkCode code : {core::RemarkCode::conjugate_bit, core::RemarkCode::negative_bit, core::RemarkCode::masked,
                                      core::RemarkCode::nulls, core::RemarkCode::unaligned, core::RemarkCode::immutable_by_contract,
                                      core::RemarkCode::mapped_again, core::RemarkCode::negative_stride})
    deep.remarks.push_back({code, ""});
  const auto lines = lines_of(tensor_table(*dlscope::tests::snapshot_of({deep})));
  REQUIRE(lines.size() == 3);
  INFO(lines[2]);
  const std::string& row = lines[2];
  // Whole entries from the first on, and the sign that there are more.
  const auto open = row.find('('), close = row.find(')');
  REQUIRE(close != std::string::npos);
  const std::string shown = row.substr(open, close - open + 1);
  const auto dots = shown.find("…");
  REQUIRE(dots != std::string::npos);
  CHECK(shape.starts_with(shown.substr(0, dots)));
  CHECK(shown.substr(0, dots).ends_with(", "));
  CHECK(columns_of(shown) <= 28);
  CHECK(row.find("...") == std::string::npos);
  CHECK(row.find("conjugated, negated, masked, nulls, not aligned, immutable") != std::string::npos);
  CHECK(row.ends_with(" and 2 more"));
  // One that fits keeps its bracket, and a long first remark is whole.
  SampleTensor fits{.name = "fits", .address = 0x558120010000, .shape = {1234567, 1234567, 12345678}};
  CHECK(tensor_table(*dlscope::tests::snapshot_of({fits})).find(" (1234567, 1234567, 12345678) ") != std::string::npos);
}

TEST_CASE("A copy-on-write tensor is not called read-only: its library lets the user write through it", "[app][cli]") {
  dlscope::tests::SampleTensor lazy{.name = "lazy", .shape = {4}, .read_only = core::Tri::yes};
  lazy.remarks = {{core::RemarkCode::copy_on_write, ""}};
  const std::string table = tensor_table(*dlscope::tests::snapshot_of(std::vector{lazy}));
  CHECK(table.find("copy-on-write") != std::string::npos);
  CHECK(table.find("read-only") == std::string::npos);
}

TEST_CASE("Names in every table lose whole segments, so that the tensors of a model can be told apart", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const std::string path = "model.transformer.encoder.layers[11].self_attn.";
  const auto snapshot = dlscope::tests::snapshot_of(std::vector<SampleTensor>{
      {.name = path + "in_proj_weight", .address = 0x558120010000, .shape = {4}},
      {.name = path + "out_proj.weight", .address = 0x558120010000, .shape = {4}}});
  const std::string first = "model…layers[11].self_attn.in_proj_weight", second = "model…layers[11].self_attn.out_proj.weight";
  core::Snapshot with_statistics = *snapshot;
  with_statistics.statistics = {{0, {}}, {1, {}}};
  core::Proof proof;
  core::ProofStep& step = proof.steps.emplace_back();
  step.from = path + "in_proj_weight";
  step.to = path + "out_proj.weight";
  for (const std::string& table : {tensor_table(*snapshot), sharing_table(*snapshot), statistics_table(with_statistics),
                                   proof_table(proof)}) {
    INFO(table);
    CHECK(table.find(" " + first + " ") != std::string::npos);
    CHECK(table.find(" " + second + " ") != std::string::npos);
    CHECK(table.find("...") == std::string::npos);
  }
}

TEST_CASE("A scan that stopped early and found nothing says that it stopped", "[app][cli]") {
  core::Snapshot snapshot = *dlscope::tests::empty_snapshot();
  const auto text = [&](std::string_view word) {
    const core::TextRef ref{static_cast<std::uint32_t>(snapshot.text.size()), static_cast<std::uint32_t>(word.size())};
    snapshot.text.insert(snapshot.text.end(), word.begin(), word.end());
    return ref;
  };
  snapshot.limits.push_back({20, text("container entries"), true});
  const std::string stopped = "The scan is not complete: it stopped at 20 (container entries).\n";
  CHECK(tensor_table(snapshot).ends_with("names.\n" + stopped));
  snapshot.info.functions_returned = true;
  CHECK(tensor_table(snapshot).ends_with("are there.\n" + stopped));
  snapshot.info.last_function = text("main");
  CHECK(tensor_table(snapshot).ends_with("are there.\n" + stopped));
}

TEST_CASE("A refusal is told with the reason that is known", "[app][cli]") {
  auto snapshot = std::make_shared<core::Snapshot>(*dlscope::tests::snapshot_of({{.name = "m"}}));
  const auto text = [&](std::string_view message) {
    const core::TextRef ref{static_cast<std::uint32_t>(snapshot->text.size()), static_cast<std::uint32_t>(message.size())};
    snapshot->text.insert(snapshot->text.end(), message.begin(), message.end());
    return ref;
  };
  snapshot->refusals.push_back({core::Protocol::dlpack, text("BufferError"), text("Cannot export a tensor on device meta")});
  core::TensorRecord& tensor = snapshot->tensors[0];
  tensor.library = text("torch");
  tensor.protocol = core::Protocol::none;
  tensor.has_metadata = tensor.has_layout = false;
  tensor.refusals = {static_cast<std::uint32_t>(snapshot->refusals.size() - 1), 2};
  snapshot->refusals.push_back({core::Protocol::cuda_array_interface, text("AttributeError"), text("Can't get it on non-CUDA tensors")});
  CHECK(tensor_table(*snapshot).find("refused: A meta tensor has a shape but no memory.") != std::string::npos);
  // A reason that is longer than the column is whole, too.
  std::string reason = "why";
  for (int i = 0; i < 30; ++i) reason += " and why";
  snapshot->refusals[tensor.refusals.first] = {core::Protocol::dlpack, text("BufferError"), text(reason)};
  CHECK(lines_of(tensor_table(*snapshot)).at(2).ends_with("refused: " + reason));
  snapshot->refusals[tensor.refusals.first].message = text("Cannot export a tensor on device meta");
  snapshot->limits.push_back({20, text("container entries"), true});
  CHECK(tensor_table(*snapshot).find("The scan is not complete: it stopped at 20 (container entries).\n") != std::string::npos);
}

TEST_CASE("Statistics have a row for each tensor, and a sample is said to be one", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const auto snapshot = dlscope::tests::snapshot_of(std::vector<SampleTensor>{
      {.name = "x", .address = 0x558120010000, .shape = {4, 5}}, {.name = "y", .address = 0x558120020000, .shape = {4}}});
  core::Snapshot with_statistics = *snapshot;
  CHECK(statistics_table(with_statistics) == "No tensor's values could be read.\n");
  core::ValueSummary exact;
  exact.method = core::StatisticsMethod::exact;
  exact.count = exact.seen = 20;
  exact.nan = 3;
  exact.first_special = {7, core::ValueClass::nan};
  exact.min = {core::ValueKind::real, 0, 0, -1.5};
  exact.max = {core::ValueKind::real, 0, 0, 2.5};
  exact.mean = 0.25;
  core::ValueSummary sample;
  sample.method = core::StatisticsMethod::sample;
  sample.count = 4'000'000;
  sample.seen = 1'000'000;
  with_statistics.statistics = {{0, exact}, {1, sample}};
  const auto lines = lines_of(statistics_table(with_statistics));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].find("2 tensors") != std::string::npos);
  for (const char* const message : {"x", "20", "-1.5", "2.5", "0.25", "[1, 2]"})
    CHECK(lines[2].find(message) != std::string::npos);
  CHECK(lines[3].find("1 000 000 of 4 000 000") != std::string::npos);
  CHECK(lines[3].find("none seen") != std::string::npos);
}

TEST_CASE("A statistic that a tensor does not have says why", "[app][cli]") {
  core::Snapshot with_statistics = *dlscope::tests::snapshot_of(std::vector<dlscope::tests::SampleTensor>{
      {.name = "x", .address = 0x558120010000, .shape = {4}}});
  const auto cells = [&](core::ValueSummary summary) {
    if (summary.method == core::StatisticsMethod::none) summary.method = core::StatisticsMethod::exact;
    with_statistics.statistics = {{0, summary}};
    std::istringstream line(lines_of(statistics_table(with_statistics)).at(2));
    std::string all, word;
    while (line >> word) all += (all.empty() ? "" : " ") + word;
    return all;
  };
  CHECK(cells({}) == "x 0 empty empty empty empty none none none none");

  core::ValueSummary values;
  values.count = values.seen = values.nan = 4;
  values.first_special = {0, core::ValueClass::nan};
  CHECK(cells(values) == "x 4 none finite none finite none finite none finite none 4 none [0]");

  values.nan = 0;
  values.first_special = {};  // complex values
  CHECK(cells(values) == "x 4 not computed not computed not computed not computed none none none none");

  values.mean = values.std = 1;
  values.min = values.max = {core::ValueKind::signed_integer, 3, 0, 0};
  CHECK(cells(values) == "x 4 3 3 1 1 none - - -");

  values.min = values.max = {core::ValueKind::real, 0, 0, 1};
  CHECK(cells(values) == "x 4 1 1 1 1 none none none none");
}

TEST_CASE("The reason of a proof is given whole", "[app][cli]") {
  core::Proof proof;
  core::ProofStep& step = proof.steps.emplace_back();
  for (int i = 0; i < 40; ++i) step.why += "a reason of many words, ";
  step.why += "to its end";
  CHECK(proof_table(proof).find(step.why + "\n") != std::string::npos);
  CHECK(proof_table(proof).find("can be written") == std::string::npos);
  proof.steps.front().verdict = core::HandOver::shared;
  proof.steps.front().from_writability = "no";
  proof.steps.front().to_writability = "yes";
  CHECK(proof_table(proof).find(" is read-only; ") != std::string::npos);
}
