// MemoryMap: a snapshot's memory as lanes to draw: one lane per address space, its bytes in address order, empty space
// folded, tensors stacked where they lie over each other. Positions are in "units", an address axis without the folded space.
// On the true scale a unit is a byte; on the compressed one a block's width grows with the logarithm of its size (a 48-byte array
// and a 4 GiB one are both visible), linear inside a block. Built once per snapshot by a worker; questions about what is visible cost the pixels, not the tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// Tensors stacked deeper than this are counted in the block, not drawn.
inline constexpr std::uint32_t kMaxMapRows = 8;

// A maximal stretch of memory covered by groups whose ranges overlap; between blocks lies memory no tensor touches.
struct MapBlock {
  core::ByteRange range;
  double unit_begin = 0, unit_end = 0;
  core::Slice tensors;                        // into MemoryMap::tensors, sorted by row, then address
  std::uint32_t rows = 1;                     // 1 ... kMaxMapRows
  std::uint32_t hidden = 0;                   // tensors stacked too deep to draw
  std::uint32_t first_group = core::kNone32;  // of the tensor with the lowest address
  bool one_group = true;                      // all its tensors are of that group
};

struct MapTensor {
  std::uint32_t tensor = 0;
  std::uint32_t row = 0;
  core::ByteRange extent;
};

enum class MapScale : std::uint8_t { true_size, compressed };

struct MapLane {
  core::SpaceId space = core::kNoSpace;
  MapScale scale = MapScale::compressed;
  std::vector<MapBlock> blocks;  // in address order
  double units = 0;              // length of the lane
  std::uint32_t rows = 1;        // of its deepest block
  std::uint64_t tensors = 0;
  std::uint64_t distinct_bytes = 0;  // of all its tensors together, where known
  bool distinct_known = true;

  // The first block that ends after `unit`; blocks.size() when none does.
  [[nodiscard]] std::size_t block_at_unit(double unit) const;
  // The block that holds the address, or nullopt when it lies in empty space.
  [[nodiscard]] std::optional<std::size_t> block_at_address(core::Address address) const;
};

struct MemoryMap {
  std::vector<MapLane> lanes;                 // host first, then by space; compressed
  std::vector<MapLane> true_lanes;            // the same on the true scale
  std::vector<MapScale> default_scale;              // by lane: the true scale where that shows enough of it
  std::vector<MapTensor> tensors;             // shared pool of the blocks
  std::vector<std::uint32_t> without_memory;  // tensors that are in no lane: empty, refused, opaque handles

  [[nodiscard]] const MapLane& lane(std::size_t number, MapScale scale) const {
    return scale == MapScale::true_size ? true_lanes[number] : lanes[number];
  }
  [[nodiscard]] std::span<const MapTensor> of(const MapBlock& block) const {
    return {tensors.data() + block.tensors.first, block.tensors.count};
  }
  // One row of a block, in address order; its extents do not overlap.
  [[nodiscard]] std::span<const MapTensor> row_of(const MapBlock& block, std::uint32_t row) const;
};

// Why a tensor is in no lane: "no elements", "refused", "NULL data", ... "" for one that is in a lane.
[[nodiscard]] const char* why_without_memory(const core::TensorRecord& tensor);

// Where an address of a block lies on the unit axis. Linear inside the block.
[[nodiscard]] double unit_of(const MapBlock& block, core::Address address);
// The inverse; clamped to the block.
[[nodiscard]] core::Address address_of(const MapBlock& block, double unit);

// thread: a worker. A stop request leaves the map incomplete; the caller throws it away.
[[nodiscard]] MemoryMap build_memory_map(const core::Snapshot& snapshot, const std::stop_token& stop = {});

}  // namespace dlscope::app
