#include "app/window/snapshot_views.h"

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
