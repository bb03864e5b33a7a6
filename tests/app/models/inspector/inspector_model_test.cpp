#include "app/models/inspector/inspector_model.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/focus/partners.h"
#include "app/models/layout/layout_text.h"
#include "app/models/table/table_columns.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/models/tensors/sharing_text.h"
#include "core/inventory/snapshot_builder.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

Inspection inspect_named(const IndexPtr& index, const char* name) { return inspect(*index, index->find(name).value()); }

const Section* section(const Inspection& inspection, std::string_view title) {
  const auto found = std::ranges::find(inspection.sections, title, &Section::title);
  return found == inspection.sections.end() ? nullptr : &*found;
}

std::string value(const Inspection& inspection, std::string_view title, std::string_view label) {
  const Section* found = section(inspection, title);
  if (found == nullptr) return "(no section)";
  const auto field = std::ranges::find(found->fields, label, &Field::label);
  return field == found->fields.end() ? "(no field)" : field->value;
}

}  // namespace

TEST_CASE("the struct card names every field as DLPack does", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Inspection x = inspect_named(index, "x");
  CHECK(x.summary == "float32, 3 × 4, 48 B on cpu");
  const char* card = "DLManagedTensorVersioned";
  CHECK(value(x, card, "version") == "1.0");
  CHECK(value(x, card, "flags") == "none");
  CHECK(value(x, card, "data") == "0x5581 2e40 4a80");
  CHECK(value(x, card, "byte_offset") == "0");
  CHECK(value(x, card, "shape") == "(3, 4)");
  CHECK(value(x, card, "strides") == "(4, 1)");
  CHECK(value(x, card, "device") == "cpu");
  CHECK(section(x, "Reached by")->fields.size() == 2);
}

TEST_CASE("the names of locals are shown with their frame", "[app][models]") {
  core::SnapshotBuilder builder;
  const auto inner = builder.add_frame("step", "/home/u/train.py", 12, 0);
  static_cast<void>(builder.add_frame("main", "/home/u/train.py", 30, 1));
  static_cast<void>(builder.add_frame("step", "/home/u/train.py", 14, 2));
  core::TensorDesc desc;
  const std::uint32_t x = builder.add_tensor(desc, builder.intern("numpy"), builder.intern("ndarray"), builder.add_text("x"));
  builder.set_frame(x, inner);
  for (const char* const name : {"main().batch", "step()#2.x", "main.CACHE", "WEIGHTS"}) builder.add_name(x, builder.add_text(name));
  builder.analyse({});
  const Inspection found = inspect_named(index_of(builder.finish()), "x");
  const auto& names = section(found, "Reached by")->fields;
  REQUIRE(names.size() == 5);
  CHECK(names[0].meaning == "local of step, line 12 of train.py");
  CHECK(names[1].meaning == "local of main, line 30 of train.py");
  CHECK(names[2].meaning == "local of step, line 14 of train.py");
  CHECK(names[3].meaning.empty());
  CHECK(names[4].meaning.empty());
}

TEST_CASE("of a tensor file's tensor neither an object nor a protocol is spoken of", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  const std::size_t x = *index_of(snapshot)->find("x");
  snapshot->tensors[x].protocol = core::Protocol::file;
  snapshot->tensors[x].capsule = core::CapsuleKind::none;
  snapshot->tensors[x].has_claimed_device = false;
  const Inspection of_file = inspect_named(index_of(snapshot), "x");
  for (const Section& part : of_file.sections) {
    CHECK_FALSE(part.title.empty());
    CHECK(part.note.find("DLPack") == std::string::npos);
    for (const Field& field : part.fields) CHECK(field.label != "object says");
  }
  CHECK(value(of_file, "In the file's header", "data") == "0x5581 2e40 4a80");
  CHECK(value(of_file, "In the file's header", "strides") == "(4, 1)");
}

TEST_CASE("of a tensor described by attributes no capsule is spoken of", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  core::TensorRecord& x = snapshot->tensors[*index_of(snapshot)->find("x")];
  x.protocol = core::Protocol::attributes;
  x.capsule = core::CapsuleKind::none;
  x.has_claimed_device = true;
  x.claimed_device = x.device;
  for (const Section& part : inspect_named(index_of(snapshot), "x").sections) {
    for (const Field& field : part.fields) {
      INFO(part.title << ": " << field.label);
      CHECK(field.label != "object says");
      CHECK(field.meaning.find("capsule agree") == std::string::npos);
    }
  }
}

TEST_CASE("a size says how much memory it is, where that differs", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "wide", .shape = {100000, 100000}, .strides = {0, 0}},
                                                      {.name = "plain", .address = 0x55812e407a80, .shape = {4, 5}}}));
  CHECK(inspect_named(index, "wide").summary == "float32, 100000 × 100000, 37.3 GiB as values, 4 B in memory on cpu");
  CHECK(inspect_named(index, "plain").summary == "float32, 4 × 5, 80 B on cpu");
  const core::Snapshot& snapshot = *index->snapshot;
  CHECK(cell_text(snapshot, index->tensor(*index->find("wide")), TableColumn::bytes) == "37.3 GiB (4 B)");
  CHECK(cell_text(snapshot, index->tensor(*index->find("plain")), TableColumn::bytes) == "80 B");
}

TEST_CASE("what a legacy capsule cannot say is called unknown, never false", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Inspection j = inspect_named(index, "j");
  CHECK(value(j, "DLManagedTensor", "flags") == "unknown");
  CHECK(value(j, "DLManagedTensor", "version") == "none");
  REQUIRE(section(j, "Notes") != nullptr);
  for (const Section& part : j.sections) {
    for (const Field& field : part.fields) CHECK(field.value != "false");
  }
}

TEST_CASE("a refusal keeps the library's own words", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Inspection grad = inspect_named(index, "grad");
  REQUIRE(section(grad, "Refused by") != nullptr);
  CHECK(value(grad, "Refused by", "dlpack") ==
        "BufferError: \"Can't export tensors that require gradient, use tensor.detach()\"");
  CHECK(section(grad, "Layout") == nullptr);
  CHECK(section(grad, "DLManagedTensorVersioned") == nullptr);
}

TEST_CASE("a tensor that was described through its detach() is not said to be described through what it refused",
          "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  const auto at = [&](const char* name) -> core::TensorRecord& {
    return snapshot->tensors[static_cast<std::size_t>(snapshot->find(name) - snapshot->tensors.data())];
  };
  core::TensorRecord& x = at("x");
  REQUIRE(x.protocol == core::Protocol::dlpack);
  x.refusals = at("grad").refusals;  // of DLPack and of the buffer protocol
  snapshot->remarks.push_back({core::RemarkCode::requires_grad, {}});
  x.remarks = {static_cast<std::uint32_t>(snapshot->remarks.size() - 1), 1};
  CHECK(section(inspect_named(index_of(snapshot), "x"), "Refused by")->note ==
        "Described through x.detach() instead, a view of the same memory.");
  x.remarks = {};
  CHECK(section(inspect_named(index_of(snapshot), "x"), "Refused by")->note ==
        "Described through another object over the same memory instead.");
  x.protocol = core::Protocol::array_interface;
  CHECK(section(inspect_named(index_of(snapshot), "x"), "Refused by")->note == "Described through array_interface instead.");
}

TEST_CASE("a nested tensor is refused for what it is", "[app][models]") {
  const auto advice = advice_on("torch", "RuntimeError", "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.");
  CHECK(advice.reason == "A nested tensor is a list of tensors of different sizes, with no one shape.");
}

TEST_CASE("a known refusal comes with its reason and a way out", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const std::string meaning = section(inspect_named(index, "grad"), "Refused by")->fields[0].meaning;
  CHECK(meaning.find("grad.detach()") != std::string::npos);  // the tensor's own name
  CHECK(advice_on("torch", "RuntimeError", "words nobody has seen").reason.empty());
  CHECK(advice_on("PIL", "dlscope.NotCalled", "asking a Pillow image for its array copies the picture into new bytes").reason ==
        "Not asked: Pillow would copy the picture into new bytes.");
  CHECK(advice_on("torch", "dlscope.NotCalled", "copy-on-write: exporting it would make the copy it has put off so far").reason ==
        "Not asked: PyTorch would make the copy that it has put off so far.");
  CHECK(advice_on("numpy", "BufferError", "Can't export tensors that require gradient").way_out.empty());
}

TEST_CASE("sharing is said in sentences that lead to the other tensor", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Inspection y = inspect_named(index, "y");
  const Section* sharing = section(y, "Sharing");
  REQUIRE(sharing != nullptr);
  REQUIRE(sharing->fields.size() == 3);
  CHECK(sharing->fields[0].value == "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped.");
  CHECK(sharing->fields[0].meaning == "Writing to one changes the other.");
  CHECK(sharing->fields[0].tensor == 0);
  CHECK(sharing->note == "One piece of memory, 4 tensors.");
  const Inspection columns = inspect_named(index, "table[:, 0::2]");
  CHECK(section(columns, "Sharing")->fields[0].value ==
        "“table[:, 0::2]” and “table[:, 1::2]” alternate in the same stretch of memory, but share no byte.");
  CHECK(inspect_named(index, "weights").sections[0].fields[0].value ==
        "It shares no byte with any other listed tensor whose bytes are known.");
}

TEST_CASE("an unknown pair has a reason and no proof", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of(
      {{.name = "a", .address = 0x558120001000, .shape = {8}}, {.name = "liar", .address = 0x558120001000, .shape = {1 << 30}}}));
  const Inspection a = inspect_named(index, "a");
  const Section* sharing = section(a, "Sharing");
  REQUIRE(sharing->fields.size() == 1);
  CHECK(sharing->fields[0].value == "Whether “a” and “liar” share bytes is unknown: “liar” claims bytes that cannot be read.");
  CHECK(sharing->fields[0].evidence.empty());
  CHECK(sharing->fields[0].tone == Tone::unknown);
}

TEST_CASE("what a stop or a bound left open is unknown, not nothing", "[app][models]") {
  std::vector<tests::SampleTensor> tensors(3, {.name = "", .address = 0x558120001000, .shape = {8}});
  for (std::size_t i = 0; i < 3; ++i) tensors[i].name = std::string(1, static_cast<char>('a' + i));
  tensors.push_back({.name = "odd", .address = 0x558120002000, .shape = {8}, .strides = {2}});
  tensors.push_back({.name = "even", .address = 0x558120002004, .shape = {8}, .strides = {2}});
  const auto told = [](const IndexPtr& index, const char* name) {
    const Inspection inspection = inspect_named(index, name);
    std::string text = section(inspection, "Sharing")->fields.back().value;
    for (const Badge& badge : inspection.badges) text += " [" + badge.text + "]";
    return text;
  };
  const IndexPtr stopped = index_of(tests::snapshot_of(tensors, 1, tests::stopped_limits()));
  CHECK(told(stopped, "odd") ==
        "It was not compared with all others, so what it shares is unknown: the analysis was stopped. [sharing unknown]");
  CHECK(found_sentence(*stopped).starts_with("5 tensors in at most"));
  core::SharingLimits limits;
  limits.max_pairs = 1;
  const IndexPtr bound = index_of(tests::snapshot_of(tensors, 1, limits));
  CHECK(told(bound, "a") ==
        "It shares bytes with others of its group of 3 tensors. With which ones is not listed: there are more pairs than may be "
        "listed. [shares]");
  CHECK(told(bound, "c") ==
        "It shares bytes with others of its group of 3 tensors. With which ones is not listed: there are more pairs than may "
        "be listed. [shares]");
  CHECK(
      told(bound, "odd") ==
      "The list of pairs was cut short: there are more pairs than may be listed. There may be more.");  // the groups came to their end
}

TEST_CASE("whether dlscope keeps the memory is said as it is now", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  const auto kept = [&](TensorState state) {
    const IndexPtr index = index_of(snapshot);
    return value(inspect(*index, index->find("x").value(), nullptr, state), "Memory", "kept alive by dlscope");
  };
  const std::size_t x = *index_of(snapshot)->find("x");
  for (const TensorState state : {TensorState::current, TensorState::not_held, TensorState::dead, TensorState::past})
    CHECK(kept(state) == "no");
  CHECK(kept(TensorState::held) == "yes: you asked it to hold it");
  snapshot->tensors[x].held = true;  // at the moment of the scan
  CHECK(kept(TensorState::past) == "at that moment: yes");
  CHECK(kept(TensorState::not_held) == "no");
  snapshot->tensors[x].protocol = core::Protocol::file;
  snapshot->tensors[x].is_copied = core::Tri::no;
  CHECK(kept(TensorState::current) == "yes: it maps the file");
  const Inspection of_file = inspect(*index_of(snapshot), static_cast<std::uint32_t>(x));
  REQUIRE(section(of_file, "In the file's header") != nullptr);
  CHECK(section(of_file, "In the file's header")->note.find("DLPack was not offered") == std::string::npos);
  snapshot->tensors[x].is_copied = core::Tri::yes;
  CHECK(kept(TensorState::current) == "yes: it holds the unpacked copy");
}

TEST_CASE("a reversed axis is neither called a gap nor another order", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "back", .shape = {4}, .strides = {-1}}}));
  const Inspection back = inspect_named(index, "back");
  const Section* const layout = section(back, "Layout");
  REQUIRE(layout != nullptr);
  CHECK(layout->fields.front().meaning ==
        "There are gaps between elements, an axis runs backwards, or the axes are in another order. Not C-contiguous: axis 0 "
        "steps -4 B where C order steps 4 B.");
}

TEST_CASE("of a tensor that repeats or overlaps itself it is said how often its bytes are reached", "[app][models]") {
  const IndexPtr index = index_of(
      tests::snapshot_of({{.name = "windows", .shape = {3, 2}, .strides = {1, 1}},
                          {.name = "repeated", .address = 0x55812e405a80, .shape = {4, 5}, .strides = {0, 1}},
                          {.name = "many", .dtype = "uint8", .address = 0x55812e406a80, .shape = {40, 40}, .strides = {1, 1}},
                          {.name = "vast", .address = 0x55812e800000, .shape = {4000, 4000, 9, 9}, .strides = {5000, 1, 5000, 1}},
                          {.name = "plain", .address = 0x55812e407a80, .shape = {4, 5}}}));
  const auto meaning = [&](const char* name) -> std::string {
    const Inspection inspection = inspect_named(index, name);
    const Section* const memory = section(inspection, "Memory");
    REQUIRE(memory != nullptr);
    const auto field = std::ranges::find(memory->fields, "distinct", &Field::label);
    return field == memory->fields.end() ? "" : field->meaning;
  };
  CHECK(meaning("windows") == "Different bytes really touched. 8 B are reached once and 8 B twice.");
  CHECK(meaning("repeated") == "Different bytes really touched. Each of its bytes is reached 4 times.");
  CHECK(meaning("many") ==
        "Different bytes really touched. 2 B are reached once, 2 B twice, 2 B 3 times, 2 B 4 times and 71 B 5 to 40 times.");
  CHECK(meaning("vast") == "Different bytes really touched: some are reached more than once.");  // too many to count at once
  CHECK(meaning("plain").empty());
}

TEST_CASE("relations read the right way round from either side", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "whole", .shape = {16}},
                                                      {.name = "part", .address = 0x55812e404a90, .shape = {4}},
                                                      {.name = "bits", .dtype = "int32", .shape = {16}}}));
  const auto& pairs = index->snapshot->pairs;
  const auto pair = std::ranges::find_if(pairs, [](const auto& p) { return p.a == 0 && p.b == 1; });
  REQUIRE(pair != pairs.end());
  CHECK(relation_sentence(*index->snapshot, *pair, 0) == "“whole” holds all of “part”: its 16 bytes are part of “whole”.");
  CHECK(relation_sentence(*index->snapshot, *pair, 1) == "“part” is a part of “whole”: all its 16 bytes lie in “whole”.");
  const auto other = std::ranges::find_if(pairs, [](const auto& p) { return p.a == 0 && p.b == 2; });
  REQUIRE(other != pairs.end());
  CHECK(relation_sentence(*index->snapshot, *other, 2) ==
        "“bits” reads the same 64 bytes as “whole”, but as int32 instead of float32.");
}

TEST_CASE("the largest and smallest strides of an axis of length 1 are compared and shown", "[app][models]") {
  const core::Address at = 0x558120001000;
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  for (const auto& [a, b] : {std::pair{kMin / 32, std::int64_t{0}}, {std::int64_t{1} << 60, -(std::int64_t{1} << 60)}}) {
    const IndexPtr index = index_of(tests::snapshot_of({{.name = "a", .address = at, .shape = {1, 4}, .strides = {a, 1}},
                                                        {.name = "b", .address = at, .shape = {1, 4}, .strides = {b, 1}}}));
    REQUIRE(index->snapshot->pairs.size() == 1);
    CHECK(relation_sentence(*index->snapshot, index->snapshot->pairs[0], 0) ==
          "“a” shows the same 16 bytes as “b”, in another shape or order.");
    CHECK_FALSE(inspect(*index, 0).sections.empty());
    CHECK_FALSE(address_formula(*index->snapshot, index->tensor(0), 2).empty());
  }
}

TEST_CASE("writing is spoken of as the tensors allow it", "[app][models]") {
  const auto sentence = [](core::Tri a, core::Tri b) {
    const IndexPtr index =
        index_of(tests::snapshot_of({{.name = "a", .shape = {4}, .read_only = a}, {.name = "b", .shape = {4}, .read_only = b}}));
    return consequence_sentence(*index->snapshot, index->snapshot->pairs.at(0), 0);
  };
  CHECK(sentence(core::Tri::no, core::Tri::no) == "Writing to one changes the other.");
  CHECK(sentence(core::Tri::yes, core::Tri::no) == "“a” is not meant to be written to, but writing to “b” changes it.");
  CHECK(sentence(core::Tri::yes, core::Tri::yes) == "They are not meant to be written to.");
}

TEST_CASE("of a copy that was put off it is said which write makes it", "[app][models]") {
  const auto sentence = [](bool lazy_a, bool lazy_b, core::Tri locked_b = core::Tri::no) {
    const auto noted = [](bool lazy) {
      return lazy ? std::vector<core::Remark>{{core::RemarkCode::copy_on_write, "noted by the test"}} : std::vector<core::Remark>{};
    };
    const IndexPtr index = index_of(
        tests::snapshot_of({{.name = "a", .shape = {4}, .remarks = noted(lazy_a)},
                            {.name = "b", .shape = {4}, .read_only = locked_b, .remarks = noted(lazy_b)}}));
    return consequence_sentence(*index->snapshot, index->snapshot->pairs.at(0), 0);
  };
  CHECK(sentence(true, true) == "They share until the first write: writing to one through its library leaves the other as it is.");
  CHECK(sentence(true, false) ==
        "Writing to “b” changes “a”, but writing to “a” through its library copies first and leaves “b” as it is.");
  CHECK(sentence(false, true) ==
        "Writing to “a” changes “b”, but writing to “b” through its library copies first and leaves “a” as it is.");
  CHECK(sentence(true, false, core::Tri::yes) ==
        "“b” is not meant to be written to, and writing to “a” through its library copies first and leaves “b” as it is.");
}

TEST_CASE("of tensors that share a part of their bytes, writing is said to change the other only where it must",
          "[app][models]") {
  const auto sentence = [](core::Tri whole, core::Tri part, std::uint32_t self) {
    const IndexPtr index = index_of(tests::snapshot_of(
        {{.name = "whole", .shape = {8}, .read_only = whole}, {.name = "part", .shape = {4}, .read_only = part}}));
    return consequence_sentence(*index->snapshot, index->snapshot->pairs.at(0), self);
  };
  CHECK(sentence(core::Tri::no, core::Tri::no, 0) == "Writing to the bytes they share changes both.");
  CHECK(sentence(core::Tri::yes, core::Tri::no, 0) == "“whole” is not meant to be written to, but writing to “part” changes it.");
  CHECK(sentence(core::Tri::no, core::Tri::yes, 0) == "Writing to “whole” can change “part”, which is not meant to change.");
  CHECK(sentence(core::Tri::yes, core::Tri::no, 1) == "Writing to “part” changes “whole”, which is not meant to change.");
  CHECK(sentence(core::Tri::no, core::Tri::yes, 1) ==
        "“part” is not meant to be written to, but writing to “whole” can change it.");
}

TEST_CASE("the guilty axis is named with both steps", "[app][models]") {
  CHECK(contiguity_reason(core::Layout::c_order({3, 4}, 32)).empty());
  const std::string reason = contiguity_reason(core::Layout::from_element_strides({4, 3}, {1, 4}, 32));
  CHECK(reason.find("axis") != std::string::npos);
  CHECK(reason.find("C order steps") != std::string::npos);
}

TEST_CASE("sharing on a device that is contradicted is said to be a claim, and names who has the addresses elsewhere",
          "[app][models]") {
  const core::Remark lie{core::RemarkCode::device_mismatch, "described as cuda:0, but the address lies in own memory"};
  const core::DeviceId cuda{2, 0};
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "x", .shape = {6}},
                                                      {.name = "on_gpu", .shape = {6}, .device = cuda, .remarks = {lie}},
                                                       {.name = "same_gpu",
                                                        .address = 0x55812e404a84,
                                                        .shape = {2},
                                                        .device = cuda,
                                                        .remarks = {lie}},
                                                       {.name = "apart", .address = 0x55812e505000, .shape = {2}}}));
  const auto fields = [&](std::uint32_t id) {
    const Inspection all = inspect(*index, id);
    const auto sharing = std::ranges::find(all.sections, "Sharing", &Section::title);
    REQUIRE(sharing != all.sections.end());
    std::string text;
    for (const Field& field : sharing->fields) text += field.value + " " + field.meaning + " " + field.evidence + "\n";
    return text;
  };
  const std::string on_gpu = fields(1), x = fields(0);
  CHECK(on_gpu.find("if they lie on cuda:0 as claimed, which is contradicted.") != std::string::npos);
  CHECK(on_gpu.find("If so, writing to") != std::string::npos);
  CHECK(on_gpu.find("Exact") == std::string::npos);
  CHECK(on_gpu.find("Whether it shares bytes with “x” (cpu) is unknown") != std::string::npos);
  CHECK(x.find("Whether it shares bytes with “on_gpu” (cuda:0), “same_gpu” (cuda:0) is unknown") != std::string::npos);
  CHECK(x.find("It shares no byte with any other listed tensor of its own memory.") != std::string::npos);
  CHECK(x.find("shares no byte with any other listed tensor.") == std::string::npos);
  const std::string panel = partners_of_tensor(*index, 0, 10).title;
  CHECK(panel.find("of its own memory. Whether “x” shares bytes with “on_gpu” (cuda:0)") != std::string::npos);
  CHECK(panel.find("shares no byte with any other listed tensor.") == std::string::npos);
  CHECK(fields(3) == "It shares no byte with any other listed tensor.  \n");
  CHECK(index->map.lanes[1].doubted == 2);
}

TEST_CASE("what was found of a device is what the address map can tell", "[app][models]") {
  const IndexPtr index =
      index_of(tests::snapshot_of({{.name = "cpu", .address = 0x558120001000, .shape = {4}},
                                   {.name = "pinned", .address = 0x558120002000, .shape = {4}, .device = {3, 0}},
                                   {.name = "cuda", .address = 0x558120003000, .shape = {4}, .device = {2, 0}}}));
  CHECK(value(inspect_named(index, "cpu"), "Device", "found") == "cpu");
  CHECK(value(inspect_named(index, "pinned"), "Device", "capsule says") == "cuda_host:0");
  CHECK(value(inspect_named(index, "pinned"), "Device", "found") == "host memory");
  CHECK(value(inspect_named(index, "cuda"), "Device", "found") == "unknown");
}

TEST_CASE("a tensor's allocation has its range, who says so, and how much of it is in use", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::snapshot_of({{.name = "own", .address = 0x558120001000, .shape = {4}},
                                                                        {.name = "slice", .address = 0x558130000000, .shape = {4}},
                                                                        {.name = "unsaid", .address = 0x558120003000, .shape = {4}}}));
  snapshot->tensors[0].allocation = core::kOwnAllocation;
  snapshot->tensors[1].allocation = 0;
  snapshot->allocations = {{.range = {0x558130000000, 0x558130200000}, .used_bytes = 16, .source = core::AllocationSource::base}};
  const IndexPtr index = index_of(snapshot);
  const Inspection slice = inspect_named(index, "slice");
  CHECK(value(inspect_named(index, "own"), "Memory", "allocation") == "the extent");
  CHECK(value(inspect_named(index, "own"), "Memory", "of it in use") == "(no field)");
  CHECK(value(slice, "Memory", "allocation") == "0x5581 3000 0000 – 0x5581 3020 0000");
  CHECK(value(slice, "Memory", "of it in use") == "16 B of 2.0 MiB");
  const auto field = std::ranges::find(section(slice, "Memory")->fields, "allocation", &Field::label);
  CHECK(field->meaning == "The whole piece of memory that it is a part of, 2.0 MiB, according to the object that it is a view of.");
  CHECK(value(inspect_named(index, "unsaid"), "Memory", "allocation") == "(no field)");
}

TEST_CASE("what the CUDA driver says stands beside the capsule's word", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(
      *tests::snapshot_of({{.name = "honest", .address = 0x558120001000, .shape = {4}, .device = {2, 0}},
                           {.name = "lie", .address = 0x558120002000, .shape = {4}, .device = {2, 0}},
                           {.name = "unasked", .address = 0x558120003000, .shape = {4}, .device = {2, 0}}}));
  snapshot->driver_devices = {{.device = {2, 0}, .tensor = 0}, {.device = {2, 1}, .tensor = 1}};
  snapshot->allocations = {{.range = {0x558120000000, 0x558120200000}, .source = core::AllocationSource::driver}};
  snapshot->tensors[0].allocation = 0;
  snapshot->tensors[1].remarks = {static_cast<std::uint32_t>(snapshot->remarks.size()), 1};
  snapshot->remarks.push_back({core::RemarkCode::device_mismatch, {}});
  const IndexPtr index = index_of(snapshot);
  const Inspection honest = inspect_named(index, "honest"), lie = inspect_named(index, "lie");
  CHECK(value(honest, "Device", "CUDA driver says") == "cuda:0");
  CHECK(value(honest, "Memory", "allocation") == "0x5581 2000 0000 – 0x5581 2020 0000");
  CHECK(value(honest, "Memory", "of it in use") == "(no field)");
  CHECK(value(lie, "Device", "capsule says") == "cuda:0");
  CHECK(value(lie, "Device", "CUDA driver says") == "cuda:1");
  const auto told = std::ranges::find(section(lie, "Device")->fields, "CUDA driver says", &Field::label);
  CHECK(told->tone == Tone::bad);
  CHECK(value(inspect_named(index, "unasked"), "Device", "CUDA driver says") == "(no field)");
  // A capsule that calls pinned memory plain CPU memory, where the object calls it pinned: two names for one place.
  snapshot->tensors[1].device = core::kCpuDevice;
  snapshot->tensors[1].claimed_device = snapshot->driver_devices[1].device = {3, 0};
  snapshot->tensors[1].has_claimed_device = true;
  const Inspection pinned = inspect_named(index_of(snapshot), "lie");
  CHECK(std::ranges::find(section(pinned, "Device")->fields, "CUDA driver says", &Field::label)->tone == Tone::plain);
}

TEST_CASE("broken tensors are inspected without inventing anything", "[app][models]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  for (std::uint32_t id = 0; id < index->size(); ++id) {
    const Inspection inspection = inspect(*index, id);
    CHECK_FALSE(inspection.name.empty());
    CHECK_FALSE(inspection.sections.empty());
  }
  CHECK(value(inspect_named(index, "negative"), "DLManagedTensorVersioned", "strides") == "unknown");
  CHECK(value(inspect_named(index, "null"), "DLManagedTensorVersioned", "data") == "NULL");
  // What was not compared is not said to share nothing.
  CHECK(section(inspect_named(index, "unreadable"), "Sharing")->fields[0].value ==
        "It claims bytes that cannot be read, so what it shares is unknown.");
  CHECK(section(inspect_named(index, "null"), "Sharing")->fields[0].value ==
        "It has elements but a NULL data pointer, so what it shares is unknown.");
  CHECK(value(inspect_named(index, "unreadable"), "DLManagedTensorVersioned", "strides") == "(1,)");
  CHECK(section(inspect_named(index, "nothing"), "Sharing")->fields[0].value ==
        "It has no elements, so it has no bytes to share.");
}

TEST_CASE("the focus names the element, its address and who else holds it", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const core::Address inside = 0x55812e404a80 + 5 * 4 + 1;  // the second byte of x[1, 1]
  const Focus focus = focus_at(*index, 0, inside);
  CHECK(focus.element == 5U);
  CHECK(focus.bytes == core::ByteRange{0x55812e404a94, 0x55812e404a98});
  const std::string sentence = focus_sentence(*index, focus);
  CHECK(sentence.find("x[1, 1] → 0x5581 2e40 4a94 = data + 0 + (1·4 + 1·1)·4 B") != std::string::npos);
  CHECK(sentence.find("y[1, 1]") != std::string::npos);
  CHECK(sentence.find("t[1, 1]") != std::string::npos);
  CHECK(focus_sentence(*index, {}).empty());
  CHECK(focus_sentence(*index, {.tensor = 999999, .element = {}, .space = {}, .bytes = {}}).empty());
}

}  // namespace dlscope::app
