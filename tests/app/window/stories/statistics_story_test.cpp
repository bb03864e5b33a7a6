// The statistics in the window: read at once or when asked, a sample before the exact numbers, as of when, the way to a NaN, and the
// columns of the table. Without Python: memory of this process, or a host that answers as told.
#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>
#include <vector>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

using app::TensorStatistics;
using core::Layout;

const float kNan = std::numeric_limits<float>::quiet_NaN();

// A window without a host over a tensor of this process, as with a file.
struct FileStory : FileWindow {
  FileStory(const void* data, const char* dtype, const Layout& layout) : FileWindow(data, dtype, layout, "//Statistics") {}
  [[nodiscard]] const TensorStatistics* read() {
    finish();
    return story.app().statistics().find(0);
  }
};

// A window whose script has left the tour's tensors, with "x" selected; the host answers as told.
struct HostStory : HostWindow {
  [[nodiscard]] const TensorStatistics* read() { return story.app().statistics().find(story.app().selected()); }
};

void show_panel(Story& story) { bring_up(story, "//Statistics"); }

core::Statistics statistics_of(core::StatisticsMethod method, std::uint64_t nan) {
  core::Statistics out;
  out.summary.method = method;
  out.summary.count = 12;
  out.summary.seen = method == core::StatisticsMethod::sample ? 6 : 12;
  out.summary.nan = nan;
  if (nan > 0) out.summary.first_special = out.summary.last_special = {5, core::ValueClass::nan};
  return out;
}

}  // namespace

TEST_CASE("a small tensor is read by itself, and its NaN is one click away", "[window][statistics]") {
  std::vector<float> data(3000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 100);
  data[2034] = kNan;
  FileStory window(data.data(), "float32", Layout::c_order({60, 50}, 32));
  const TensorStatistics* const read = window.read();
  REQUIRE(read != nullptr);
  CHECK(read->exact());
  CHECK(read->found->summary.nan == 1);
  CHECK(window.story.app().tasks().all().empty());  // what took a moment is no work to list
  window.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Statistics/**/Go there");
    ui->Yield(2);
  });
  CHECK(window.story.app().pinned().element == 2034U);
  // What the mouse is on in the histogram is said.
  window.story.act([](ImGuiTestContext* ui) {
    ui->MouseMove("//Statistics/**/histogram");
    ui->Yield(2);
  });
  CHECK(window.story.app().panels().statistics.histogram.under_mouse >= 0);
  window.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Statistics/**/log");
    ui->Yield(2);
  });
  CHECK(window.story.app().panels().statistics.histogram.scale == app::HistogramScale::logarithmic);
}

TEST_CASE("every kind of tensor has a page: nothing, one value, all NaN, True and False, complex, packed, equal",
          "[window][statistics]") {
  const std::vector<float> nan(20, kNan), equal(20, 2.5F);
  const std::vector<std::uint8_t> bytes(20, 1);
  const struct {
    const void* data;
    const char* dtype;
    Layout layout;
    bool has_values;
  } cases[] = {
      {nan.data(), "float32", Layout::c_order({0, 4}, 32), false},
      {nan.data(), "float32", Layout::c_order({20}, 32), true},
      {equal.data(), "float32", Layout::c_order({}, 32), true},
      {equal.data(), "float32", Layout::c_order({4, 5}, 32), true},
      {equal.data(), "complex64", Layout::c_order({10}, 64), true},
      {bytes.data(), "bool", Layout::c_order({20}, 8), true},
      {bytes.data(), "int4", Layout::c_order({40}, 4), true},
      {bytes.data(), "float8_e4m3fn", Layout::c_order({20}, 8), true},
      {equal.data(), "float32", Layout::from_byte_strides({1000, 20}, {0, 4}, 32), true},
  };
  for (const auto& one : cases) {
    INFO(one.dtype << " of rank " << one.layout.shape.size());
    FileStory window(one.data, one.dtype, one.layout);
    const TensorStatistics* const read = window.read();
    CHECK((read != nullptr && read->exact()) == one.has_values);
    for (const float scale : {2.0F, 3.0F}) {
      window.story.app().commands().push(app::command::SetScale{scale});
      window.story.frames(4);
    }
  }
}

TEST_CASE("elements that share memory are read once", "[window][statistics]") {
  const std::vector<float> row(1024, 1.0F);
  // 128 MiB of elements over 4 KiB.
  FileStory shared(row.data(), "float32", Layout::from_byte_strides({32'768, 1024}, {0, 4}, 32));
  REQUIRE(shared.read() != nullptr);
  CHECK(shared.story.app().statistics().find(0)->found->summary.count == 32'768 * 1024);
}

TEST_CASE("a large tensor is read when somebody says so", "[window][statistics]") {
  const std::vector<float> large((app::kReadAtOnce >> 2) + 1, 1.0F);
  FileStory window(large.data(), "float32", Layout::c_order({static_cast<std::int64_t>(large.size())}, 32));
  CHECK(window.read() == nullptr);
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Statistics/###compute"); });
  const TensorStatistics* const read = window.read();
  REQUIRE(read != nullptr);
  CHECK(read->exact());
  CHECK(read->found->summary.mean == 1);
}

TEST_CASE("with a host: a sample that says so, then the exact numbers, and a Cancel that reaches it", "[window][statistics]") {
  HostStory window;
  show_panel(window.story);
  REQUIRE(window.asked<core::wire::ComputeStatistics>() == 1);  // the tour's x is small
  const std::uint64_t id = window.story.host().work.size();
  const auto ref = std::get<core::wire::ComputeStatistics>(window.story.host().work.back()).tensor;
  CHECK(ref == core::wire::TensorRef{window.story.app().index()->snapshot->info.revision, window.story.app().selected()});
  REQUIRE(window.read() != nullptr);
  CHECK(window.read()->computing());
  window.say(app::HostPart{id, statistics_of(core::StatisticsMethod::sample, 0)});
  REQUIRE(window.read()->found);
  CHECK_FALSE(window.read()->exact());
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Statistics/Cancel"); });
  CHECK(window.story.host().cancelled == std::vector<std::uint64_t>{id});
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::cancelled, {}, {}});
  CHECK(window.read()->phase == TensorStatistics::Phase::cancelled);
  window.story.frames(3);
  CHECK(window.asked<core::wire::ComputeStatistics>() == 1);  // not asked again by itself
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Statistics/###compute"); });
  REQUIRE(window.asked<core::wire::ComputeStatistics>() == 2);
  window.say(app::HostWorkEnded{id + 1, core::wire::WorkOutcome::done, {}, statistics_of(core::StatisticsMethod::exact, 1)});
  CHECK(window.read()->exact());
}

TEST_CASE("while code runs what was read says so, and the next look drops it", "[window][statistics]") {
  HostStory window;
  show_panel(window.story);
  const std::uint64_t id = window.story.host().work.size();
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, statistics_of(core::StatisticsMethod::exact, 1)});
  REQUIRE(window.read() != nullptr);
  CHECK_FALSE(app::read_when(*window.read(), window.story.app().moment()).stale);
  window.start();
  REQUIRE(window.read() != nullptr);
  CHECK(app::read_when(*window.read(), window.story.app().moment()).stale);
  CHECK(window.asked<core::wire::ComputeStatistics>() == 1);
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Statistics/###compute"); });  // at one's own risk
  REQUIRE(window.read() != nullptr);
  CHECK_FALSE(window.read()->own);
  window.run();
  show_panel(window.story);
  CHECK(window.asked<core::wire::ComputeStatistics>() == 3);  // anew, by itself
  CHECK((window.read() != nullptr && !window.read()->found));
  // The answer to the question of before comes too late.
  window.say(app::HostWorkEnded{id + 1, core::wire::WorkOutcome::done, {}, statistics_of(core::StatisticsMethod::exact, 7)});
  CHECK_FALSE(window.read()->found);
}

TEST_CASE("the table has NaN, Min and Max of all tensors when it is asked, sorted by them, with a badge",
          "[window][statistics]") {
  HostStory window;
  CHECK(window.asked<core::wire::SurveyTensors>() == 0);
  window.story.app().commands().push(app::command::Ask{app::ActionId::statistics_survey});
  window.story.frames(4);
  REQUIRE(window.asked<core::wire::SurveyTensors>() == 1);
  const std::uint64_t id = window.story.host().work.size();
  const auto& shown = window.story.app().panels().tensors.shown;
  CHECK(shown[static_cast<std::size_t>(app::TableColumn::nan)]);
  core::ValueSummary summary = statistics_of(core::StatisticsMethod::exact, 3).summary;
  summary.min = {core::ValueKind::real, 0, 0, -0.5};
  summary.max = {core::ValueKind::real, 0, 0, 11};
  const std::uint32_t t = *window.story.app().index()->find("t");
  window.say(app::HostPart{id, core::wire::Summaries{{{t, summary}}}});
  auto& tensors = const_cast<app::TensorTableModel&>(window.story.app().tensors());
  CHECK(tensors.row(t).text(app::TableColumn::nan) == "3");
  CHECK(tensors.row(t).text(app::TableColumn::least) == "-0.5");
  CHECK(tensors.row(t).text(app::TableColumn::greatest) == "11.0");
  CHECK(tensors.row(t).badges.front().text == "NaN 3");
  CHECK(tensors.row(0).text(app::TableColumn::nan).empty());
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, {}});
  app::TableQuery query = tensors.query();
  query.sort = {{app::TableColumn::nan, true}};
  window.story.app().commands().push(app::command::AskRows{query});
  window.story.frames(2);
  window.story.app().finish_background_work();
  window.story.frames(3);
  CHECK(tensors.tensor_at(0) == t);
  window.run();  // what was read is of values that may have changed; the columns are shown, and these are small
  CHECK(window.asked<core::wire::SurveyTensors>() == 2);
  CHECK(tensors.row(t).text(app::TableColumn::nan).empty());
}

}  // namespace dlscope::tests
