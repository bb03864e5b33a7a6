#include "app/window/shown/snapshot_views.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

struct Bench {
  app::JobPool jobs;
  app::Notices notices;
  app::SnapshotViews views{jobs, notices};
};

}  // namespace

TEST_CASE("a snapshot is shown when its index and its rows are ready, and the one before is freed", "[window][views]") {
  Bench bench;
  bench.views.show(tour_snapshot());
  CHECK(bench.views.index() == nullptr);
  CHECK(bench.views.inspection() == nullptr);
  bench.jobs.finish_all();
  REQUIRE(bench.views.index() != nullptr);
  CHECK(bench.views.generation() == 1);
  CHECK(bench.views.tensors().row_count() == 11);
  REQUIRE(bench.views.inspection() != nullptr);
  CHECK(bench.views.inspection()->tensor == bench.views.selection().selected());

  const std::weak_ptr<const app::SnapshotIndex> before = bench.views.index();
  bench.views.show(scalar_snapshot());
  bench.jobs.finish_all();
  CHECK_FALSE(before.expired());  // the frame may still draw it
  bench.views.end_frame();
  bench.jobs.finish_all();
  CHECK(before.expired());
  CHECK(bench.views.generation() == 2);
}

TEST_CASE("of two snapshots in a row the newer one is shown", "[window][views]") {
  Bench bench;
  bench.views.show(tour_snapshot());
  bench.jobs.finish(app::Lane::views);  // its index is ready, but not taken
  bench.views.show(scalar_snapshot());
  bench.jobs.finish_all();
  CHECK(bench.views.generation() == 1);
  CHECK(bench.views.index()->size() == 1);
}

TEST_CASE("at a stop the change marks are of what changed since the stop before it", "[window][views]") {
  Bench bench;
  const auto show = [&](core::Address address, std::uint64_t stop) {
    app::SnapshotSource source;
    source.stop = stop;
    bench.views.show(snapshot_of({{.name = "x", .address = address, .shape = {4}}}), source);
    bench.jobs.finish_all();
    bench.views.end_frame();
  };
  show(0x55812e404a80, 1);
  CHECK_FALSE(bench.views.index()->marks.any());
  show(0x55812e505b00, 2);
  CHECK(bench.views.index()->marks.since_stop);
  CHECK(bench.views.index()->marks.mark_of(0) == app::Mark::moved);
  bench.views.mark_newest_against(nullptr);  // as usual
  bench.jobs.finish_all();
  CHECK(bench.views.index()->marks.since_stop);
  CHECK(bench.views.index()->marks.mark_of(0) == app::Mark::moved);
  // Looking back at it later: the same.
  const auto kept = [](std::uint64_t number, core::SnapshotPtr snapshot) {
    return std::make_shared<const app::KeptMoment>(number, std::move(snapshot), 0, "14:05:09");
  };
  const core::SnapshotPtr first = bench.views.index()->marks.before, second = bench.views.index()->snapshot;
  show(0x55812e606c00, 3);
  bench.views.look_back(kept(2, second), kept(1, first), nullptr);
  bench.jobs.finish_all();
  CHECK(bench.views.looks_back());
  CHECK(bench.views.index()->marks.since_stop);
  CHECK(bench.views.index()->marks.mark_of(0) == app::Mark::moved);
}

TEST_CASE("the inspector's page follows the selection, and is made once", "[window][views]") {
  Bench bench;
  bench.views.show(tour_snapshot());
  bench.jobs.finish_all();
  bench.views.selection().select("t");
  const app::Inspection* page = bench.views.inspection();
  REQUIRE(page != nullptr);
  CHECK(page->name == "t");
  CHECK(bench.views.inspection() == page);
  bench.views.selection().select(core::kNone32);
  CHECK(bench.views.inspection() == nullptr);
}

TEST_CASE("rows are ordered for the newest query, places found for the palette", "[window][views]") {
  Bench bench;
  bench.views.order_rows_by({});  // before there is anything
  bench.views.show(tour_snapshot());
  bench.jobs.finish_all();
  app::TableQuery query;
  query.filter = "torch";
  bench.views.order_rows_by(query);
  CHECK(bench.views.tensors().stale());
  bench.jobs.finish_all();
  CHECK_FALSE(bench.views.tensors().stale());
  CHECK(bench.views.tensors().row_count() == 3);
  std::shared_ptr<const app::FoundPlaces> found;
  bench.views.find_places_for("x", [&](auto places) { found = places; });
  bench.jobs.finish_all();
  REQUIRE(found != nullptr);
  CHECK_FALSE(found->places.empty());
}

}  // namespace dlscope::tests
