#include "app/models/statistics/statistics_store.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <vector>

#include "app/models/statistics/statistics_text.h"
#include "core/inventory/snapshot_builder.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(const core::SnapshotPtr& snapshot, std::uint64_t run, core::Scanned scanned = core::Scanned::end) {
  auto copy = std::make_shared<core::Snapshot>(*snapshot);
  copy->info.run = run;
  copy->info.scanned = scanned;
  GroupColours colours;
  return build_index(copy, colours);
}

core::Statistics with_nan(core::StatisticsMethod method, std::uint64_t nan) {
  core::Statistics out;
  out.summary.method = method;
  out.summary.count = out.summary.seen = 12;
  out.summary.nan = nan;
  return out;
}

// Views of the same 16 bytes: one vector for each item type.
core::SnapshotPtr views_as(const std::vector<core::ItemType>& items) {
  core::SnapshotBuilder builder;
  for (const core::ItemType& item : items) {
    core::TensorDesc desc;
    desc.dtype = core::dtype_of_item(item.bytes);
    desc.item_type = std::make_shared<const core::ItemType>(item);
    desc.data = 0x1000;
    desc.rank = 1;
    desc.shape = {16 / item.bytes};
    desc.stride_bits = {item.bytes * 8};
    desc.has_metadata = desc.has_layout = true;
    builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text(item.name));
  }
  return builder.finish();
}

// A vector of 12, always of the same bytes.
core::TensorDesc view_of_torch(const char* dtype, const std::vector<core::RemarkCode>& signs) {
  core::TensorDesc desc;
  desc.dtype = *core::dtype_from_name(dtype);
  desc.data = 0x1000;
  desc.rank = 1;
  desc.shape = {12};
  desc.stride_bits = {desc.dtype.bits};
  desc.has_metadata = desc.has_layout = true;
  for (const core::RemarkCode code : signs) desc.remarks.push_back({code, "noted"});
  return desc;
}

constexpr auto kSample = core::StatisticsMethod::sample, kExact = core::StatisticsMethod::exact;
using Phase = TensorStatistics::Phase;

}  // namespace

TEST_CASE("a sample stands until the exact numbers come; what nobody began is ignored", "[app][statistics]") {
  StatisticsStore store;
  CHECK(store.find(0) == nullptr);
  CHECK(store.show(index_of(tests::tour_snapshot(), 3), 1).empty());
  CHECK(store.find(0) == nullptr);
  const std::uint64_t id = store.begin(0, {.run = 3}, true);
  REQUIRE(store.find(0) != nullptr);
  CHECK(store.find(0)->computing());
  CHECK_FALSE(store.find(0)->found);
  store.take(id, with_nan(kSample, 1));
  CHECK_FALSE(store.find(0)->exact());
  CHECK(store.summary_of(0) == nullptr);  // a sample is no answer for the table
  store.take(id + 1, with_nan(kExact, 9));
  store.end(id + 1, Phase::failed, "no", "");
  CHECK(store.find(0)->computing());
  store.take(id, with_nan(kExact, 2));
  store.end(id, Phase::done, "", "14:03:12");
  CHECK(store.find(0)->exact());
  CHECK(store.summary_of(0)->nan == 2);
  CHECK(store.find(1) == nullptr);
  CHECK(store.find(999'999) == nullptr);
}

TEST_CASE("views of the same bytes as other numbers have statistics of their own", "[app][statistics]") {
  const auto number = [](const char* name, bool swapped) { return core::number_item(*core::dtype_from_name(name), swapped); };
  // All pairs of one size have the same address, shape, strides and record dtype: '>i4' and its view as '>f4'; int4 and uint4 of
  // ml_dtypes, which keep a number in a byte.
  const std::vector<core::ItemType> items = {number("int32", true),   number("float32", true), number("int32", false),
                                             number("uint32", true),  number("int4", false),   number("uint4", false),
                                             number("float16", true), number("uint16", true)};
  GroupColours colours;
  StatisticsStore store;
  static_cast<void>(store.show(build_index(views_as(items), colours), 1));
  for (std::uint32_t tensor = 0; tensor < items.size(); ++tensor) {
    INFO(items[tensor].name);
    CHECK(store.find(tensor) == nullptr);
    store.take(store.begin(tensor, {}, true), with_nan(kExact, tensor));
  }
  for (std::uint32_t tensor = 0; tensor < items.size(); ++tensor) CHECK(store.summary_of(tensor)->nan == tensor);
}

TEST_CASE("what was read of a negated view is of the values it means, and not of the view beside it", "[app][statistics]") {
  core::SnapshotBuilder builder;
  for (const auto& signs : {std::vector<core::RemarkCode>{}, {core::RemarkCode::negative_bit}})
    builder.add_tensor(view_of_torch("float32", signs), builder.intern("torch"), builder.intern("torch.Tensor"), builder.add_text("x"));
  GroupColours colours;
  StatisticsStore store;
  static_cast<void>(store.show(build_index(builder.finish(), colours), 1));
  core::Statistics meant = with_nan(kExact, 0);
  meant.summary.min = {.kind = core::ValueKind::real, .real = -5};
  meant.summary.max = {.kind = core::ValueKind::real, .real = -1};
  SECTION("read alone") {
    store.take(store.begin(1, {}, true), meant);
    CHECK(store.find(0) == nullptr);  // the same bytes as other values
    CHECK(store.find(1)->found->summary.min.real == -5);
  }
  SECTION("in a survey") { store.take_survey(store.begin_survey({}), {{0, with_nan(kExact, 0).summary}, {1, meant.summary}}); }
  REQUIRE(store.summary_of(1) != nullptr);
  CHECK(store.summary_of(1)->min.real == -5);
  CHECK(store.summary_of(1)->max.real == -1);
}

TEST_CASE("what was counted of complex numbers is of the values meant already, and of one kind of view only", "[app][statistics]") {
  using core::RemarkCode;
  const std::vector<std::vector<RemarkCode>> views{
      {}, {RemarkCode::conjugate_bit}, {RemarkCode::negative_bit}, {RemarkCode::conjugate_bit, RemarkCode::negative_bit}};
  core::SnapshotBuilder builder;
  for (const auto& signs : views) {
    const core::TensorDesc desc = view_of_torch("complex64", signs);
    builder.add_tensor(desc, builder.intern("torch"), builder.intern("torch.Tensor"), builder.add_text("x"));
  }
  GroupColours colours;
  StatisticsStore store;
  static_cast<void>(store.show(build_index(builder.finish(), colours), 1));
  core::Statistics found = with_nan(kExact, 0);
  for (std::uint32_t tensor = 0; tensor < 4; ++tensor) {
    CHECK(store.find(tensor) == nullptr);
    found.summary.neg_inf = 10 + tensor;
    store.take(store.begin(tensor, {}, true), found);
  }
  for (std::uint32_t tensor = 0; tensor < 4; ++tensor) {
    CHECK(store.summary_of(tensor)->neg_inf == 10 + tensor);
    CHECK(store.summary_of(tensor)->pos_inf == found.summary.pos_inf);
    CHECK(store.find(tensor)->found->summary.neg_inf == 10 + tensor);
  }
}

TEST_CASE("another look at the same memory keeps what was read; code that ran in between drops it", "[app][statistics]") {
  const auto read = [](StatisticsStore& store) {
    const std::uint64_t id = store.begin(0, {.run = 3}, true);
    store.take(id, with_nan(kExact, 2));
    store.end(id, Phase::done, "", "");
  };
  const core::SnapshotPtr tour = tests::tour_snapshot();
  StatisticsStore store;
  static_cast<void>(store.show(index_of(tour, 3), 1));
  read(store);
  static_cast<void>(store.show(index_of(tour, 3, core::Scanned::request), 1));
  CHECK(store.find(0) != nullptr);
  static_cast<void>(store.show(index_of(tour, 4), 1));  // a run
  CHECK(store.find(0) == nullptr);
  read(store);
  static_cast<void>(store.show(index_of(tour, 4), 2));  // another process
  CHECK(store.find(0) == nullptr);
  static_cast<void>(store.show(index_of(tour, 5, core::Scanned::stop), 2));
  read(store);
  static_cast<void>(store.show(index_of(tour, 5, core::Scanned::stop), 2));  // the run went on from one stop to the next
  CHECK(store.find(0) == nullptr);
}

TEST_CASE("numbers from before the last look are kept and marked, and the table does not show them", "[app][statistics]") {
  const core::SnapshotPtr tour = tests::tour_snapshot();
  StatisticsStore store;
  static_cast<void>(store.show(index_of(tour, 3), 1));
  const auto read = [&] {
    const std::uint64_t id = store.begin(0, {.run = 3}, true);
    store.take(id, with_nan(kExact, 2));
    store.end(id, Phase::done, "", "14:03:12");
  };
  read();
  CHECK_FALSE(read_when(*store.find(0), {.run = 3}).stale);
  static_cast<void>(store.show(index_of(tour, 3, core::Scanned::request), 1));
  REQUIRE(store.find(0) != nullptr);
  const ReadWhen when = read_when(*store.find(0), {.run = 3});
  CHECK(when.stale);
  CHECK(when.text.find("before the tensors were last scanned") != std::string::npos);
  CHECK(store.summary_of(0) == nullptr);
  read();
  CHECK_FALSE(read_when(*store.find(0), {.run = 3}).stale);
  CHECK(store.summary_of(0)->nan == 2);
}

TEST_CASE("at most so many tensors keep their numbers: the oldest are dropped, not what is being computed", "[app][statistics]") {
  core::SnapshotBuilder builder;
  const std::size_t count = StatisticsStore::kMaxTensors + 10;
  for (std::size_t i = 0; i < count; ++i) {
    core::TensorDesc desc;
    desc.dtype = {2, 32, 1};
    desc.data = 0x1000 + 64 * i;
    desc.has_metadata = true;
    builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("t" + std::to_string(i)));
  }
  GroupColours colours;
  StatisticsStore store;
  static_cast<void>(store.show(build_index(builder.finish(), colours), 1));
  const std::uint64_t first = store.begin(0, {}, true);  // goes on
  for (std::uint32_t tensor = 1; tensor < count; ++tensor) store.end(store.begin(tensor, {}, true), Phase::done, "", "");
  CHECK(store.find(0) != nullptr);
  CHECK(store.find(1) == nullptr);
  CHECK(store.find(10) == nullptr);
  CHECK(store.find(11) != nullptr);
  CHECK(store.find(static_cast<std::uint32_t>(count) - 1) != nullptr);
  store.take(first, with_nan(kExact, 2));
  CHECK(store.find(0)->exact());
}

TEST_CASE("what is dropped while it is worked out names its task", "[app][statistics]") {
  StatisticsStore store;
  static_cast<void>(store.show(index_of(tests::tour_snapshot(), 3), 1));
  store.note_task(store.begin(0, {}, true), 41);
  store.note_survey_task(store.begin_survey({}), 42);
  CHECK(store.show(index_of(tests::tour_snapshot(), 4), 1) == std::vector<std::uint64_t>{41, 42});
  CHECK(store.survey().id == 0);
}

TEST_CASE("when the sharing of the same scan is known, what was read and what is being read stays", "[app][statistics]") {
  const auto scan_at_stop = [](bool whole) {
    core::Snapshot snapshot = *tests::tour_snapshot();
    snapshot.info.revision = 9;
    if (!whole) snapshot.info.missing_pairs = core::UnknownWhy::not_yet;
    return index_of(std::make_shared<core::Snapshot>(std::move(snapshot)), 3, core::Scanned::stop);
  };
  StatisticsStore store;
  static_cast<void>(store.show(scan_at_stop(false), 1));
  const std::uint64_t read = store.begin(0, {.run = 3}, true);
  store.take(read, with_nan(kExact, 2));
  store.end(read, Phase::done, "", "");
  store.note_task(store.begin(1, {}, true), 41);
  const std::uint64_t survey = store.begin_survey({.run = 3});
  store.note_survey_task(survey, 42);
  CHECK(store.show(scan_at_stop(true), 1).empty());
  REQUIRE(store.find(0) != nullptr);
  CHECK_FALSE(read_when(*store.find(0), {.run = 3}).stale);
  REQUIRE(store.find(1) != nullptr);
  CHECK(store.find(1)->computing());
  CHECK(store.survey().id == survey);
  // Another stop is another scan, also when its sharing is not known yet.
  CHECK(store.show(index_of(tests::tour_snapshot(), 3, core::Scanned::stop), 1) == std::vector<std::uint64_t>{41, 42});
}

TEST_CASE("a survey answers for the tensors it has reached, and may be sorted by when it is over", "[app][statistics]") {
  StatisticsStore store;
  static_cast<void>(store.show(index_of(tests::tour_snapshot(), 3), 1));
  CHECK(store.surveyed() == nullptr);
  const std::uint64_t id = store.begin_survey({.run = 3});
  const std::uint64_t before = store.summaries_revision();
  core::ValueSummary summary = with_nan(kExact, 5).summary;
  store.take_survey(id, {{1, summary}, {2, {}}, {1'000'000, summary}});
  CHECK(store.summaries_revision() != before);
  CHECK(store.survey().tensors == 2);
  CHECK(store.survey().unreadable == 1);
  REQUIRE(store.summary_of(1) != nullptr);
  CHECK(store.summary_of(1)->nan == 5);
  CHECK(store.summary_of(2) == nullptr);
  CHECK(store.surveyed() == nullptr);
  store.end_survey(id, "");
  REQUIRE(store.surveyed() != nullptr);
  CHECK((*store.surveyed())[1].nan == 5);
  store.take_survey(id, {{3, summary}});  // too late
  CHECK(store.summary_of(3) == nullptr);
}

}  // namespace dlscope::app
