#include "app/window/shown/touch_work.h"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <vector>

#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/touch_sentence.h"
#include "app/models/layout/reach_profile.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

using Phase = app::TouchAnswer::Phase;

constexpr core::Address kBase = 0x558120000000, kFar = 0x7f3a00000000;  // where the samples' memory can be read
constexpr std::int64_t kLong = std::int64_t{1} << 28;                      // float32, which take seconds to count

// Windows of `width` float32 over a row of them, at a base of its own.
SampleTensor windows(const char* name, std::int64_t length, std::int64_t width, core::Address address = kBase) {
  return {.name = name, .address = address, .shape = {length - width + 1, width}, .strides = {1, 1}};
}

app::IndexPtr index_of(const core::SnapshotPtr& snapshot) {
  app::GroupColours colours;
  return app::build_index(snapshot, colours, {}, {});
}

struct Bench {
  app::JobPool jobs;
  app::TaskRunner tasks{jobs};
  app::TouchWork work{tasks};
  app::IndexPtr index;

  explicit Bench(const std::vector<SampleTensor>& tensors) : index(index_of(snapshot_of(tensors))) {}
  const app::TouchAnswer* select(const char* name) {
    const std::uint32_t id = index->find(name).value();
    work.follow(index, id);
    return work.counts().find(*index->snapshot, id);
  }
  [[nodiscard]] const app::TouchAnswer* of(const char* name) const {
    return work.counts().find(*index->snapshot, index->find(name).value());
  }
};

// How often each element-sized place is touched, by listing all elements.
std::vector<std::uint64_t> listed(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const auto shape = snapshot.shape(tensor), strides = snapshot.stride_bits(tensor);
  std::vector<std::uint64_t> times(tensor.extent.size() / 4);
  std::vector<std::int64_t> index(shape.size());
  for (std::uint64_t flat = 0; flat < tensor.elements; ++flat) {
    core::unravel(snapshot.layout(tensor), flat, index);
    std::int64_t bit = 0;
    for (std::size_t d = 0; d < index.size(); ++d) bit += index[d] * strides[d];
    ++times[(tensor.address + static_cast<core::Address>(bit / 8) - tensor.extent.begin) / 4];
  }
  return times;
}

void check_against_listing(const core::SnapshotPtr& snapshot, std::uint32_t id, const core::TouchCount& found) {
  const core::TensorRecord& tensor = snapshot->tensors[id];
  const std::vector<std::uint64_t> times = listed(*snapshot, tensor);
  std::map<std::uint64_t, std::uint64_t> bytes;
  for (const std::uint64_t each : times) bytes[each] += each > 0 ? 4 : 0;
  bytes.erase(0);
  REQUIRE(found.counts.size() == bytes.size());
  for (const core::TouchedBytes& each : found.counts) REQUIRE(bytes[each.times] == each.bytes);
  const app::StorageTape tape(snapshot, id);
  app::ReachProfile profile(snapshot, id, tape, &found);
  std::vector<app::ReachPiece> pieces;
  profile.read(tape.begin(), tape.end(), 0, {}, pieces);
  std::int64_t next = tape.begin();
  for (const app::ReachPiece& piece : pieces) {
    REQUIRE(piece.begin == next);
    REQUIRE(piece.counted);
    for (std::int64_t bit = piece.begin; bit < piece.end; bit += 32)
      REQUIRE(times[static_cast<std::size_t>((bit - tape.begin()) / 32)] == piece.most);
    REQUIRE(piece.least == piece.most);
    next = piece.end;
  }
  REQUIRE(next == tape.end());
}

std::string distinct_meaning(const Bench& bench, const char* name) {
  const std::uint32_t id = bench.index->find(name).value();
  const auto page = app::inspect(*bench.index, id, nullptr, app::TensorState::current, bench.of(name));
  for (const app::Section& section : page.sections) {
    for (const app::Field& field : section.fields) {
      if (field.label == "distinct") return field.meaning;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("a large tensor that overlaps itself is counted by a task, as listing its elements counts it", "[window][touch]") {
  // 12 MB of windows, and patches of a picture that overlap both ways, backwards along one axis.
  Bench bench({windows("w", 3'000'000, 3),
               {.name = "patches", .address = kBase + (1 << 28), .shape = {600, 10, 4, 256}, .strides = {4096, -100, 4096, 1}},
               {.name = "plain", .address = kBase + (1 << 29), .shape = {3'000'000}}});
  REQUIRE(bench.select("w") != nullptr);
  CHECK(bench.of("w")->phase == Phase::counting);
  REQUIRE(bench.tasks.list().open_count() == 1);
  CHECK(bench.tasks.list().all().front().title == "Counting how often the bytes of w are reached");
  CHECK(distinct_meaning(bench, "w") == "Different bytes really touched. How often each byte is reached is being counted …");
  bench.jobs.finish_all();
  REQUIRE(bench.of("w")->phase == Phase::done);
  check_against_listing(bench.index->snapshot, bench.index->find("w").value(), *bench.of("w")->found);
  CHECK(distinct_meaning(bench, "w") == "Different bytes really touched. 8 B are reached once, 8 B twice and 11.4 MiB 3 times.");

  bench.select("patches");
  bench.jobs.finish_all();
  REQUIRE(bench.of("patches")->phase == Phase::done);
  check_against_listing(bench.index->snapshot, bench.index->find("patches").value(), *bench.of("patches")->found);

  CHECK(bench.select("plain") == nullptr);  // each of its bytes once
  CHECK(bench.select("w")->phase == Phase::done);
  CHECK(bench.tasks.list().open_count() == 0);
}

TEST_CASE("a small one is counted at once, and no task is listed", "[window][touch]") {
  Bench bench({windows("w", 100, 3)});
  const app::TouchAnswer* const answer = bench.select("w");
  REQUIRE(answer != nullptr);
  REQUIRE(answer->phase == Phase::done);
  check_against_listing(bench.index->snapshot, 0, *answer->found);
  CHECK(bench.tasks.list().all().empty());
}

TEST_CASE("another selection ends the count of before, whose result is never shown as that of another", "[window][touch]") {
  Bench bench({windows("huge", kLong, 3, kFar), windows("w", 3'000'000, 5)});
  CHECK(bench.select("huge")->phase == Phase::counting);
  CHECK(bench.select("w")->phase == Phase::counting);
  CHECK(bench.of("huge") == nullptr);  // dropped, not cancelled by anybody
  bench.jobs.finish_all();
  REQUIRE(bench.of("w")->phase == Phase::done);
  check_against_listing(bench.index->snapshot, bench.index->find("w").value(), *bench.of("w")->found);
  CHECK(bench.of("huge") == nullptr);
  for (const app::TaskEntry& task : bench.tasks.list().all()) CHECK(task.title.find("huge") == std::string::npos);
}

TEST_CASE("a count that a person cancels says so, and begins again when the tensor is selected again", "[window][touch]") {
  Bench bench({windows("huge", kLong, 3, kFar), windows("w", 100, 5)});
  bench.select("huge");
  bench.tasks.cancel(bench.tasks.list().all().front().id);
  bench.jobs.finish_all();
  REQUIRE(bench.of("huge")->phase == Phase::cancelled);
  CHECK(distinct_meaning(bench, "huge").ends_with("was cancelled; it begins again when the tensor is selected again."));
  CHECK(bench.tasks.list().all().back().state == app::TaskState::cancelled);
  bench.index = index_of(bench.index->snapshot);  // looked at again, but nobody selected it again
  CHECK(bench.select("huge")->phase == Phase::cancelled);
  bench.select("w");
  CHECK(bench.select("huge")->phase == Phase::counting);
  bench.tasks.cancel(bench.tasks.list().all().back().id);
  bench.jobs.finish_all();
}

TEST_CASE("a new snapshot of the same memory keeps the count, also while it runs", "[window][touch]") {
  const std::vector<SampleTensor> tensors{windows("w", 3'000'000, 3)};
  Bench bench(tensors);
  const std::uint64_t first = bench.select("w")->id;
  bench.index = index_of(snapshot_of(tensors, 2));
  CHECK(bench.select("w")->id == first);
  bench.jobs.finish_all();
  CHECK(bench.of("w")->phase == Phase::done);
  bench.index = index_of(snapshot_of({windows("w", 3'000'000, 4)}, 3));  // the same address, another layout
  CHECK(bench.select("w")->id != first);
  CHECK(bench.of("w")->phase == Phase::counting);
  bench.work.follow(nullptr, core::kNone32);
  CHECK(bench.of("w") == nullptr);
  bench.jobs.finish_all();
}

TEST_CASE("a count that takes more work than is allowed says that, not a number", "[window][touch]") {
  Bench bench({windows("huge", std::int64_t{1} << 35, 3)});
  bench.select("huge");
  bench.jobs.finish_all();
  REQUIRE(bench.of("huge")->phase == Phase::over_budget);
  CHECK(bench.of("huge")->found == nullptr);
  CHECK(app::touch_sentence(*bench.of("huge")).ends_with("was not counted: that takes more work than is allowed."));
  CHECK(bench.tasks.list().all().back().message.find("more work than is allowed") != std::string::npos);
}

}  // namespace dlscope::tests
