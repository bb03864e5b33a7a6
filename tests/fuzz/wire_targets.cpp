// What the two processes say to each other: the decoders, what the host does when it is asked for work, and what the views show of
// what comes back.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <type_traits>
#include <variant>

#include "app/models/debug/breakpoint_list.h"
#include "app/models/debug/stack_rows.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/seen_range.h"
#include "app/models/heatmap/heatmap_store.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/history/remembered_copies.h"
#include "app/models/host/stop_view.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/live_answers.h"
#include "app/models/statistics/histogram_bars.h"
#include "app/models/statistics/statistics_store.h"
#include "app/models/statistics/statistics_text.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/values/comparison_text.h"
#include "core/compare/difference_task.h"
#include "core/compare/snapshot_comparison.h"
#include "core/inventory/survey.h"
#include "core/reduce/reduce_task.h"
#include "core/search/find_value.h"
#include "core/statistics/statistics_task.h"
#include "core/wire/messages.h"
#include "core/wire/remembered_answer.h"
#include "core/wire/struct_answer.h"
#include "tests/core/wire/sample_messages.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/local_tensor.h"
#include "tests/support/put_part.h"
#include "tests/support/sample_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::fuzz {
namespace {

namespace wire = core::wire;

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

template <class Message>
std::vector<Bytes> seeds_of(const std::vector<Message>& messages) {
  std::vector<Bytes> seeds;
  std::ranges::transform(messages, std::back_inserter(seeds), with_kind<Message>);
  return seeds;
}

template <class Message>
void check_said_again(const Message& message, core::Result<Message> (*decode)(const wire::RawMessage&)) {
  const wire::RawMessage again = wire::encode(message);
  const auto twice = decode(again);
  hold(twice.has_value() && wire::encode(*twice).payload == again.payload, "what was understood can be said again");
}

std::vector<Bytes> to_host_seeds() { return seeds_of(wire::all_to_host()); }
std::vector<Bytes> to_viewer_seeds() { return seeds_of(wire::all_to_viewer()); }

bool run_to_host(std::span<const std::byte> input) {
  const auto message = wire::decode_to_host(message_in(input));
  if (message) check_said_again(*message, wire::decode_to_host);
  return message.has_value();
}
bool run_to_viewer(std::span<const std::byte> input) {
  const auto message = wire::decode_to_viewer(message_in(input));
  if (message) check_said_again(*message, wire::decode_to_viewer);
  return message.has_value();
}

// ---- work that the host is asked for ----

core::Layout strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, std::uint32_t item_bits) {
  for (std::int64_t& stride : strides) stride *= item_bits;
  return {std::move(shape), std::move(strides), item_bits};
}

// Tensors of every kind of layout and dtype that is read in a way of its own, over memory of ours; one partly over none.
core::SnapshotPtr tensors_in_memory() {
  static std::array<std::byte, 4096> memory;
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 255);
  const auto dtype = [](const char* name) { return *core::dtype_from_name(name); };
  core::DType lanes = dtype("float16");
  lanes.lanes = 4;
  const std::byte* const middle = memory.data() + 2048;
  return tests::local_tensors({
      {"c", memory.data(), dtype("float32"), core::Layout::c_order({3, 4, 5}, 32)},
      {"t", memory.data(), dtype("float64"), strided({5, 4}, {1, 5}, 64)},
      {"back", middle, dtype("int16"), strided({7, 3}, {-3, -1}, 16)},
      {"wide", memory.data(), dtype("uint8"), strided({1'000'000'000, 17}, {0, 1}, 8)},
      {"packed", memory.data(), dtype("int4"), strided({5, 9}, {9, 1}, 4)},
      {"flags", memory.data(), dtype("bool"), core::Layout::c_order({64, 32}, 8)},
      {"pairs", memory.data(), dtype("complex64"), strided({6, 5}, {10, 2}, 64)},
      {"lanes", memory.data(), lanes, core::Layout::c_order({4, 8}, 64)},
      {"small", memory.data(), dtype("float8_e4m3fn"), core::Layout::c_order({33}, 8)},
      {"none", memory.data(), dtype("float32"), core::Layout::c_order({0, 4}, 32)},
      {"one", memory.data() + 1, dtype("bfloat16"), core::Layout::c_order({}, 16)},
      {"unmapped", reinterpret_cast<const void*>(0x1000), dtype("float32"), core::Layout::c_order({100, 100}, 32)},
  });
}

std::vector<Bytes> work_seeds() {
  using core::CellValue;
  const auto picture = [](std::uint32_t tensor, core::CellAxes axes, core::CellWindow window) {
    return wire::Start{1, wire::ReduceTensor{{0, tensor}, std::move(axes), window, 1u << 20}};
  };
  std::vector<wire::ToHost> messages{
      picture(0, {{1}, {2}, {{0, CellValue::mean}}, CellValue::mean, {0, 0, 0}}, {0, 0, 4, 5, 1, 1}),
      picture(0, {{0, 1}, {2}, {}, CellValue::max, {0, 0, 0}}, {0, 0, 12, 5, 5, 2}),
      picture(1, {{0}, {1}, {}, CellValue::min, {0, 0}}, {1, 0, 4, 4, 2, 3}),
      picture(2, {{0}, {1}, {}, CellValue::mean, {0, 0}}, {0, 0, 7, 3, 1, 1}),
      picture(3, {{0}, {1}, {}, CellValue::mean, {0, 0}}, {0, 0, 1'000'000'000, 17, 9'765'625, 1}),
      picture(4, {{}, {0, 1}, {}, CellValue::mean, {0, 0}}, {0, 0, 1, 45, 1, 1}),
      picture(7, {{0}, {}, {{1, CellValue::max}}, CellValue::mean, {0, 0}}, {0, 0, 4, 1, 1, 1}),
      picture(0, {{1}, {2}, {}, CellValue::mean, {0, 0, 0}, std::uint8_t{0}}, {0, 0, 4, 5, 1, 2}),
      picture(10, {{}, {}, {}, CellValue::mean, {}}, {0, 0, 1, 1, 1, 1}),
      wire::Start{2, wire::FindValue{{0, 0}, core::SearchedValue::equal, "-0.5", 3}},
      wire::Start{3, wire::CompareTensors{{0, 0}, {0, 5}, {0.5, 1e-6}, true}},
      wire::Start{4, wire::CompareTensors{{0, 1}, {0, 1}, {}, false}},
      wire::Start{5, wire::ComputeStatistics{{0, 6}}},
      wire::Start{6, wire::SurveyTensors{0}},
      wire::Start{
          7,
          wire::SubtractTensors{
              {0, 1}, {0, 1}, {{0}, {1}, {}, CellValue::mean, {0, 0}}, {0, 0, 5, 4, 2, 2}, core::DifferenceKind::relative, 9}}};
  return seeds_of(messages);
}

// False: its steps were not all taken, they would be too many.
bool carried_out(core::Task& task) {
  constexpr int kMaxSteps = 64;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const auto state = task.step();
    if (!state || *state == core::Task::State::done) return true;
  }
  return false;
}

void check_picture(core::ReduceTask& task, const core::CellWindow& window, std::int64_t channels) {
  core::Texels whole;
  whole.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())},
               static_cast<std::uint32_t>(channels));
  std::size_t texels = 0;
  for (int steps = 0; steps < 64; ++steps) {
    const auto state = task.step();
    while (const auto part = task.take(1000)) {
      hold(core::fits(*part, whole), "a part lies in its picture");
      tests::put_part(*part, whole);
      texels += part->rect.size();
    }
    if (!state) return;
    if (*state == core::Task::State::done) {
      hold(texels > 0 || whole.rect.size() == 0, "a picture that is done has its texels");
      return;
    }
  }
}

// As the host's tasks are made (embed/host/host_tasks.cpp), on tensors of our own.
class WorkDone {
 public:
  WorkDone(const core::SnapshotPtr& snapshot, const std::shared_ptr<const core::MemoryReader>& memory)
      : snapshot_(snapshot), memory_(memory) {}

  bool operator()(const wire::FindValue& work) const {
    const auto test = core::ValueTest::make(tensor(work.tensor).dtype, work.sought, work.text);
    if (!test) return false;
    core::FindValueTask task(snapshot_, number(work.tensor), memory_, *test, work.from);
    if (!is_small(work.tensor) || !carried_out(task)) return true;
    hold(!task.found().next || *task.found().next >= work.from, "what is found lies behind where the search began");
    return true;
  }
  bool operator()(const wire::ComputeStatistics& work) const {
    if (!core::has_statistics(tensor(work.tensor).dtype)) return false;
    core::StatisticsTask task(values(work.tensor), snapshot_, memory_, 1);
    static_cast<void>(carried_out(task));
    return true;
  }
  bool operator()(const wire::CompareTensors& work) const {
    if (!is_small(work.a) || !is_small(work.b)) return true;
    auto task = core::SnapshotComparison::make(side(work.a), side(work.b), work.tolerance, work.broadcast);
    if (task) static_cast<void>(carried_out(**task));
    return task.has_value();
  }
  bool operator()(const wire::ReduceTensor& work) const {
    auto task = core::ReduceTask::make(values(work.tensor), work.axes, work.window, work.most_exact, snapshot_, memory_);
    if (task) check_picture(**task, work.window, core::count_channels(values(work.tensor).layout, work.axes));
    return task.has_value();
  }
  bool operator()(const wire::SubtractTensors& work) const {
    auto task = core::make_difference_task(side(work.a), side(work.b), work.axes, work.window, work.kind, work.most_exact);
    if (task) check_picture(**task, work.window, 1);
    return task.has_value();
  }
  bool operator()(const wire::SurveyTensors&) const {
    core::SurveyTask task(core::survey_items(*snapshot_), snapshot_, memory_);
    static_cast<void>(carried_out(task));
    return true;
  }
  bool operator()(const wire::ReadDevice&) const { return false; }  // needs a device

 private:
  [[nodiscard]] std::uint32_t number(wire::TensorRef ref) const {
    return ref.tensor % static_cast<std::uint32_t>(snapshot_->tensors.size());
  }
  [[nodiscard]] core::SnapshotTensor side(wire::TensorRef ref) const { return {snapshot_, number(ref), memory_}; }
  [[nodiscard]] const core::TensorRecord& tensor(wire::TensorRef ref) const { return snapshot_->tensors[number(ref)]; }
  [[nodiscard]] bool is_small(wire::TensorRef ref) const { return tensor(ref).elements < 100'000; }
  [[nodiscard]] core::TensorValues values(wire::TensorRef ref) const {
    const core::TensorRecord& of = tensor(ref);
    return {of.dtype, snapshot_->layout(of), of.address, {}};
  }

  const core::SnapshotPtr& snapshot_;
  const std::shared_ptr<const core::MemoryReader>& memory_;
};

bool run_work(std::span<const std::byte> input) {
  static const core::SnapshotPtr snapshot = tensors_in_memory();
  static const std::shared_ptr<const core::MemoryReader> memory = std::move(*core::process_reader(0));
  const auto message = wire::decode_to_host(message_in(input));
  const auto* const start = message ? std::get_if<wire::Start>(&*message) : nullptr;
  if (start == nullptr) return false;
  const auto work = task_or_act(start->work);
  const auto* const task = std::get_if<wire::TaskWork>(&work);  // an act needs Python
  return task != nullptr && std::visit(WorkDone(snapshot, memory), *task);
}

// ---- what the views show of what comes back ----

class Shown {
 public:
  Shown() {
    app::GroupColours colours;
    index_ = app::build_index(tests::tour_snapshot(), colours);
    static_cast<void>(statistics_.show(index_, 1));
    static_cast<void>(pictures_.show(index_->snapshot, 1));
    static_cast<void>(images_.show(index_->snapshot, 1));
    tensor_ = *index_->find("x");
    picture_ = pictures_.begin({tensor_, axes_, {3, 5}, {}, view_.tiles, 1U << 20}).id;
    image_ = images_.begin({tensor_, image_axes_, {1, 4}, {}, view_.tiles, 1U << 20}).id;
    survey_ = statistics_.begin_survey({});
    static_cast<void>(breakpoints_.toggle("/a.py", 12));
  }

  void operator()(const wire::Part& part) { std::visit(*this, part.part); }
  void operator()(const wire::WorkEnded& end) { std::visit(*this, end.result); }
  void operator()(const core::Texels& part) {
    pictures_.take(picture_, part);
    for (const app::TexelNumber number : {app::TexelNumber::mean, app::TexelNumber::min}) {
      app::NumberRange range = app::range_of(pictures_, view_, {0, 0, 3, 5, 1, 1}, number);
      range.include(app::percentile_range(pictures_, view_, {0, 0, 3, 5, 1, 1}, number, 0.02, 0.98));
      app::HeatmapPainter::Look look{.number = number, .inks = {}};
      look.inks = {&app::colour_table(app::ColourMap::viridis), {range.low, range.high, app::ColourStretch::asinh}, 1, 2, 3, 4};
      app::HeatmapCamera camera;
      camera.row_limits = camera.column_limits = {3, 16, 8, 4};
      camera.rows.settle(camera.row_limits);
      camera.columns.settle(camera.column_limits);
      std::array<std::uint32_t, 16 * 16> pixels{};
      painter_.paint(pictures_, view_, camera, look, {pixels.data(), 16, 16, 16});
    }
    show_image(part);
    static_cast<void>(app::texel_text(pictures_, view_, {3, 5}, 2, 3));
    static_cast<void>(app::coverage(app::known_of(pictures_, view_), 15, true));
  }
  void operator()(const core::Statistics& found) {
    const core::Snapshot& snapshot = *index_->snapshot;
    statistics_.take(statistics_.begin(tensor_, {}, true), found);
    static_cast<void>(app::statistics_facts(snapshot, snapshot.tensors[tensor_], found));
    for (const auto scale : {app::HistogramScale::linear, app::HistogramScale::logarithmic}) {
      for (const app::HistogramBar& bar : app::histogram_bars(found.histogram, 40, scale, app::BinnedValues::whole)) {
        hold(bar.height >= 0 && bar.height <= 1, "a bar lies in the room there is");
        static_cast<void>(app::bar_text(bar, false, found.summary.seen, app::BinnedValues::real));
      }
    }
    static_cast<void>(app::outlier_text(found.histogram));
  }
  void operator()(const wire::Summaries& found) {
    statistics_.take_survey(survey_, found.tensors);
    std::vector<app::Badge> badges;
    for (const core::StatisticsRecord& each : found.tensors) app::append_value_badges(each.summary, badges);
  }
  void operator()(const core::Comparison& found) {
    const core::Snapshot& snapshot = *index_->snapshot;
    const app::ComparisonText text =
        app::comparison_text(found, snapshot.layout(snapshot.tensors[tensor_]), {0.5, 1e-6}, {"float32"}, {"float64"});
    hold(!text.verdict.empty(), "a comparison has its verdict");
  }
  void operator()(const wire::HandedOver& done) {
    static_cast<void>(app::evidence_of(done));
    static_cast<void>(app::verdict_meaning(done.verdict));
  }
  void operator()(const core::Proof& proof) {
    static_cast<void>(app::proof_meaning(proof));
    static_cast<void>(app::proof_text(proof));
  }
  void operator()(const wire::Copied& copied) { static_cast<void>(app::copied_text(copied)); }
  void operator()(const wire::BreakpointsChanged& said) {
    breakpoints_.take(said);
    for (const auto& each : breakpoints_.all()) static_cast<void>(app::breakpoint_text(each, breakpoints_));
  }
  void operator()(const wire::Stopped& stopped) {
    const auto count = static_cast<std::uint32_t>(stopped.frames.size());
    const app::StopView view{stopped, count / 2, 1};
    for (const bool unfold : {false, true}) {
      std::uint32_t frames = 0;
      for (const app::StackRow& row : app::stack_rows(view, unfold)) frames += row.count;
      hold(frames == count, "every frame has its row");
    }
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  // One row of four pixels with three channels.
  void show_image(const core::Texels& part) {
    images_.take(image_, part);
    app::HeatmapPainter::Look look;
    const app::NumberRange range = app::range_of(images_, view_, {0, 0, 1, 4, 1, 1}, look.number);
    look.inks.image = {.order = app::ChannelOrder::bgr, .black = range.low, .white = range.high};
    app::HeatmapCamera camera;
    camera.row_limits = {1, 16, 8, 4};
    camera.column_limits = {4, 16, 8, 4};
    camera.rows.settle(camera.row_limits);
    camera.columns.settle(camera.column_limits);
    std::array<std::uint32_t, 16 * 16> pixels{};
    painter_.paint(images_, view_, camera, look, {pixels.data(), 16, 16, 16});
    static_cast<void>(app::texel_text(images_, view_, {1, 4}, 0, 3));
  }

  app::IndexPtr index_;
  app::StatisticsStore statistics_;
  app::HeatmapStore pictures_, images_;
  app::HeatmapPainter painter_;
  const core::CellAxes axes_{{0}, {1}, {}, core::CellValue::mean, {0, 0}};
  const core::CellAxes image_axes_{{}, {1}, {}, core::CellValue::mean, {0, 0}, std::uint8_t{0}};
  const app::HeatmapView view_{{}, {0, 0, 1, 1}};
  app::BreakpointList breakpoints_;
  std::uint32_t tensor_ = 0;
  std::uint64_t picture_ = 0, image_ = 0, survey_ = 0;
};

bool run_reply(std::span<const std::byte> input) {
  const auto message = wire::decode_to_viewer(message_in(input));
  if (!message) return false;
  Shown shown;
  std::visit(shown, *message);
  return true;
}

// ---- the typed answers, and the page that shows them ----

std::vector<Bytes> typed_answer_seeds() {
  wire::StructAnswer buffer;
  buffer.found = true;
  buffer.protocol = core::Protocol::buffer;
  buffer.format = "<i";
  buffer.blocks = {{"Py_buffer", 4096, 16, {{"buf", "void*", 0, 8, tests::little_endian(8)}, {"len", "Py_ssize_t", 8, 8, {}}}}};
  buffer.interface = {{"shape", "(4,)"}};
  return {bytes_of(encode(tests::sample_struct_answer())), bytes_of(encode(buffer)),
          bytes_of(encode(tests::sample_protocols_answer())), bytes_of(encode(tests::sample_waiting_copies()))};
}

bool run_typed_answer(std::span<const std::byte> input) {
  static const app::IndexPtr index = [] {
    app::GroupColours colours;
    return app::build_index(tests::tour_snapshot(), colours);
  }();
  const std::string_view bytes = text_of(input);
  app::LiveAnswer live;
  if (auto raw = wire::decode_struct_answer(bytes)) {
    hold(wire::decode_struct_answer(encode(*raw)).has_value(), "an answer that was read can be sent on");
    live.raw = std::move(*raw);
  }
  if (auto protocols = wire::decode_protocols_answer(bytes)) live.protocols = std::move(*protocols);
  const auto copies = wire::decode_waiting_copies(bytes);
  if (copies) {
    const app::CopiesToFetch next = app::copies_to_fetch(*copies, {{"x", app::Remember::bytes}}, 0);
    hold(next.copies.size() <= copies->size(), "no more is fetched than was announced");
  }
  if (!live.raw && !live.protocols) return copies.has_value();
  for (std::uint32_t id = 0; id < index->size(); ++id)
    hold(!app::inspect(*index, id, &live).sections.empty(), "every tensor has its page");
  return true;
}

}  // namespace

std::vector<Target> wire_targets() {
  return {{"to_host", to_host_seeds, run_to_host, {}, true},
          {"to_viewer", to_viewer_seeds, run_to_viewer, {}, true},
          {"work", work_seeds, run_work, {}, true},
          {"reply", to_viewer_seeds, run_reply, {}, true},
          {"typed_answer", typed_answer_seeds, run_typed_answer, {}, true}};
}

}  // namespace dlscope::fuzz
