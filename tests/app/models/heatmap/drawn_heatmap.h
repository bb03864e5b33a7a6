// The heat map of a tensor of this process, worked out as the window has it worked out, request by request. Without a window.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_background.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/heatmap_store.h"
#include "app/models/heatmap/heatmap_window.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "core/compare/difference_task.h"
#include "core/reduce/reduce_task.h"
#include "tests/support/local_tensor.h"

namespace dlscope::tests {

inline app::HeatmapCamera camera_of(std::int64_t rows, std::int64_t columns, double high, double wide) {
  app::HeatmapCamera camera;
  camera.row_limits = {rows, high, 200, 40};
  camera.column_limits = {columns, wide, 200, 80};
  camera.rows.settle(camera.row_limits);
  camera.columns.settle(camera.column_limits);
  return camera;
}

class DrawnHeatmap {
 public:
  DrawnHeatmap(const void* data, const char* dtype, const core::Layout& layout, double high, double wide)
      : snapshot_(local_tensor(data, *core::dtype_from_name(dtype), layout)),
        index(index_of(snapshot_)),
        camera(camera_of(layout.shape[0], layout.shape[1], high, wide)),
        axes(app::default_cell_axes(layout.shape.size())) {
    static_cast<void>(store.show(index->snapshot, 1));
  }

  [[nodiscard]] app::HeatmapSubject subject() const {
    const auto values = [](const core::SnapshotPtr& of) -> core::TensorValues {
      const core::TensorRecord& record = of->tensors[0];
      return {record.dtype, of->layout(record), record.address, {}};
    };
    app::HeatmapSubject subject{0, &axes, values(snapshot_), most_exact, difference, {}};
    if (difference) subject.subtracted = values(subtracted_);
    return subject;
  }
  // From here on it is the picture of the difference from that tensor.
  void subtract(const void* data, const char* dtype, const core::Layout& layout, core::DifferenceKind kind) {
    subtracted_ = local_tensor(data, *core::dtype_from_name(dtype), layout);
    difference = kind;
  }
  // All cells of the table that the axes make now.
  void fit() {
    const core::CellCounts cells = core::count_cells(subject().values.layout, axes).value();
    camera = camera_of(cells.rows, cells.columns, camera.row_limits.room, camera.column_limits.room);
  }
  // Until nothing is asked for any more. Returns how many requests that took.
  int settle() {
    int requests = 0;
    while (auto request = app::next_request(store, camera, subject())) {
      REQUIRE(++requests < 1000);
      const auto begun = store.begin(*request);
      const core::CellWindow window = app::window_of(request->level, request->tiles, request->cells);
      auto task = request->difference
                      ? core::make_difference_task({snapshot_, 0, reader_}, {subtracted_, 0, reader_}, request->axes, window,
                                                   *request->difference, request->most_exact)
                      : core::ReduceTask::make(subject().values, request->axes, window, request->most_exact, nullptr, reader_);
      REQUIRE(task);
      for (bool more = true; more;) {
        const auto state = (*task)->step();
        REQUIRE(state);
        more = *state == core::Task::State::more;
        while (const auto part = (*task)->take(1000)) store.take(begun.id, *part);
      }
      store.end(begun.id, app::HeatmapReading::Phase::done, {});
      CHECK(store.bytes() <= app::most_tile_bytes(subject().form()));
    }
    return requests;
  }
  // Reads the pieces of the overview that are asked for where the view misses nothing; returns how many.
  int read_in_background(std::uint64_t most) {
    int pieces = 0;
    while (const auto piece = app::next_in_background(store, camera, subject(), most)) {
      REQUIRE(++pieces < 100);
      CHECK_FALSE(app::next_request(store, camera, subject()));
      const auto begun = store.begin(*piece);
      auto task = core::ReduceTask::make(subject().values, piece->axes, app::window_of(piece->level, piece->tiles, piece->cells),
                                         piece->most_exact, nullptr, reader_);
      REQUIRE(task);
      for (bool more = true; more;) {
        more = (*task)->step().value() == core::Task::State::more;
        while (const auto part = (*task)->take(1000)) store.take(begun.id, *part);
      }
      store.end(begun.id, app::HeatmapReading::Phase::done, {});
    }
    return pieces;
  }
  [[nodiscard]] app::HeatmapView view() const { return app::view_of(camera, subject().form()); }
  [[nodiscard]] app::HeatmapKnown known() const { return app::known_of(store, view()); }
  [[nodiscard]] std::vector<std::uint32_t> painted(const app::HeatmapPainter::Look& look) {
    const int width = static_cast<int>(camera.column_limits.room), height = static_cast<int>(camera.row_limits.room);
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width * height), 7);
    painter.paint(store, view(), camera, look, {pixels.data(), width, height, width});
    return pixels;
  }

 private:
  static app::IndexPtr index_of(const core::SnapshotPtr& snapshot) {
    app::GroupColours colours;
    return app::build_index(snapshot, colours);
  }
  core::SnapshotPtr snapshot_, subtracted_;
  std::shared_ptr<const core::MemoryReader> reader_ = core::process_reader(0).value();

 public:
  app::IndexPtr index;
  app::HeatmapStore store;
  app::HeatmapCamera camera;
  core::CellAxes axes;
  app::HeatmapPainter painter;
  std::uint64_t most_exact = ~std::uint64_t{0};
  std::optional<core::DifferenceKind> difference;
};

}  // namespace dlscope::tests
