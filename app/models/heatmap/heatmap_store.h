// HeatmapStore: the computed tiles of one tensor's heat map, up to a memory limit, and the present reading. Cleared when code has
// run since, or another table is shown.
// thread: UI.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/models/heatmap/heatmap_tile.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// Limits for all tiles together, without the pixels painted from them. One view needs at most kMaxViewBytes. Images get more, so
// that on a full screen each pixel can show its own texel.
inline constexpr std::size_t kMaxTileBytes = std::size_t{11} << 19, kMaxViewBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxImageTileBytes = std::size_t{22} << 20, kMaxImageViewBytes = std::size_t{16} << 20;
[[nodiscard]] constexpr std::size_t most_tile_bytes(TexelForm form) {
  return form.channels == 0 ? kMaxTileBytes : kMaxImageTileBytes;
}
[[nodiscard]] constexpr std::size_t most_view_bytes(TexelForm form) {
  return form.channels == 0 ? kMaxViewBytes : kMaxImageViewBytes;
}
// The form of a table's tiles. axes: must fit the layout.
[[nodiscard]] TexelForm texel_form(core::DType dtype, core::LayoutView layout, const core::CellAxes& axes);

struct HeatmapReading {
  enum class Phase : std::uint8_t { computing, done, failed, cancelled };
  std::uint64_t id = 0;
  HeatmapRequest asked;
  Phase phase = Phase::computing;
  std::string why;         // failed: why
  std::uint64_t task = 0;  // its id in the list of tasks
  [[nodiscard]] bool computing() const { return phase == Phase::computing; }
};

class HeatmapStore {
 public:
  // Sets what is shown. process: a number for the memory it is in, and for what it is compared with. Returns the task whose
  // result is no longer needed; 0: none.
  [[nodiscard]] std::uint64_t show(const core::SnapshotPtr& snapshot, std::uint64_t process);
  [[nodiscard]] const core::SnapshotPtr& snapshot() const { return snapshot_; }

  // Begins a reading of a tensor of the snapshot; it replaces the running one, whose task is returned.
  struct Begun {
    std::uint64_t id = 0;
    std::uint64_t dropped_task = 0;
  };
  // own: the bytes are known to be the tensor's own now.
  [[nodiscard]] Begun begin(HeatmapRequest request, bool own = true);
  // These three ignore a reading that was replaced.
  void note_task(std::uint64_t id, std::uint64_t task);
  void take(std::uint64_t id, const core::Texels& part);
  void end(std::uint64_t id, HeatmapReading::Phase how, std::string why);

  [[nodiscard]] bool about(std::uint32_t tensor, const core::CellAxes& axes, std::optional<core::DifferenceKind> difference = {},
                           std::uint16_t field = core::kNone16) const;
  [[nodiscard]] const HeatmapReading* reading() const { return reading_.id == 0 ? nullptr : &reading_; }  // null: none
  // Whether the stored tiles were read while the bytes were known to be the tensor's own, while other data may have been there,
  // or some at either time.
  enum class ReadFrom : std::uint8_t { nothing, own, perhaps_another, both };
  [[nodiscard]] ReadFrom read_from() const { return read_from_; }
  // Null: it was never begun, or was removed to make room.
  [[nodiscard]] const HeatmapTile* tile(const TexelLevel& level, std::int64_t row, std::int64_t column) const;
  // Levels that have tiles, the coarsest first.
  [[nodiscard]] const std::vector<TexelLevel>& levels() const { return levels_; }
  // The range of all texels of that level computed so far, including removed tiles.
  [[nodiscard]] NumberRange range_of_level(const TexelLevel& level, TexelNumber number) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] TexelForm form() const { return form_; }
  // Rises with every change of a texel.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  struct Key {
    TexelLevel level;
    std::int64_t row = 0, column = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using LevelRanges = std::array<NumberRange, static_cast<std::size_t>(TexelNumber::count)>;

  void drop();
  void make_room(const HeatmapRequest& request);
  void forget_empty_levels();
  void put(const core::Texels& part, std::uint32_t row, std::uint32_t column, std::size_t from, LevelRanges& ranges);
  void put_image(const core::Texels& part, HeatmapTile& tile, std::uint32_t row, std::uint32_t column, std::size_t from,
                 LevelRanges& ranges);

  core::SnapshotPtr snapshot_;
  std::uint64_t process_ = 0, last_id_ = 0, last_tile_ = 0, revision_ = 0;
  HeatmapReading reading_;
  std::unordered_map<Key, std::unique_ptr<HeatmapTile>, KeyHash> tiles_;
  std::vector<TexelLevel> levels_;
  std::vector<std::pair<TexelLevel, LevelRanges>> ranges_;
  std::size_t bytes_ = 0;
  ReadFrom read_from_ = ReadFrom::nothing;
  TexelForm form_;
};

}  // namespace dlscope::app
