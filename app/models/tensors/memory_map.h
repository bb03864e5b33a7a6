// MemoryMap: a snapshot's memory as lanes to draw: one lane per address space, its bytes in address order, empty space folded,
// overlapping tensors in rows above each other. Positions are in "units": an address axis without the folded space. On the true
// scale a unit is a byte. On the compressed scale a block's width grows with the logarithm of its size, so that a 48-byte array
// and a 4 GiB one are both visible; inside a block it is linear. A worker builds it once per snapshot; the cost of drawing a part
// depends on its pixels, not on the number of tensors.
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

// A maximal range of memory covered by groups whose extents overlap. No tensor touches the memory between two blocks.
struct MapBlock {
  core::ByteRange range;
  double unit_begin = 0, unit_end = 0;
  core::Slice tensors;                        // into MemoryMap::tensors, sorted by row, then address
  std::uint32_t rows = 1;                     // 1 ... kMaxMapRows
  std::uint32_t hidden = 0;                   // tensors stacked too deep to draw
  std::uint32_t first_group = core::kNone32;  // the group of the tensor with the lowest address
  bool one_group = true;                      // all its tensors belong to that group
};

struct MapTensor {
  std::uint32_t tensor = 0;
  std::uint32_t row = 0;
  core::ByteRange extent;
};

// Memory between blocks that belongs to the allocation of a tensor of the lane, but that no tensor of the snapshot touches: what
// the tensors keep alive beside themselves. Folded like empty space: its width grows with its size only up to a maximum.
struct MapUnnamed {
  core::ByteRange range;
  double unit_begin = 0, unit_end = 0;
  std::uint32_t tensor = core::kNone32;  // one whose allocation contains all of it; kNone32: only several together do
};

enum class MapScale : std::uint8_t { true_size, compressed };

struct MapLane {
  core::SpaceId space = core::kNoSpace;
  MapScale scale = MapScale::compressed;
  std::vector<MapBlock> blocks;     // in address order
  std::vector<MapUnnamed> unnamed;  // in address order; none overlaps a block
  double units = 0;                 // length of the lane
  std::uint32_t rows = 1;        // of its deepest block
  std::uint64_t tensors = 0;
  std::uint64_t doubted = 0;         // of these, tensors whose device, and with it their place in this lane, is contradicted
  std::uint64_t distinct_bytes = 0;  // of all its tensors together; valid when distinct_known
  bool distinct_known = true;

  // The first block that ends after `unit`; blocks.size() when none does.
  [[nodiscard]] std::size_t block_at_unit(double unit) const;
  // The block that contains the address; nullopt: it lies in empty space.
  [[nodiscard]] std::optional<std::size_t> block_at_address(core::Address address) const;
  // The first unnamed part that ends after `unit`; unnamed.size() when none does.
  [[nodiscard]] std::size_t unnamed_at_unit(double unit) const;
  // The space before block i (0 < i < blocks.size()) that belongs to no known allocation; empty: none. Without a tensor.
  [[nodiscard]] MapUnnamed empty_before(std::size_t i) const;
  [[nodiscard]] std::uint64_t unnamed_bytes() const;
};

struct MemoryMap {
  std::vector<MapLane> lanes;                 // host first, then by space; compressed
  std::vector<MapLane> true_lanes;            // the same on the true scale
  std::vector<MapScale> default_scale;              // by lane: the true scale where enough blocks are visible on it
  std::vector<MapTensor> tensors;             // shared pool of the blocks
  std::vector<std::uint32_t> without_memory;  // tensors in no lane: empty, refused, opaque handles, freed copies

  [[nodiscard]] const MapLane& lane(std::size_t number, MapScale scale) const {
    return scale == MapScale::true_size ? true_lanes[number] : lanes[number];
  }
  [[nodiscard]] std::span<const MapTensor> of(const MapBlock& block) const {
    return {tensors.data() + block.tensors.first, block.tensors.count};
  }
  // One row of a block, in address order; its extents do not overlap.
  [[nodiscard]] std::span<const MapTensor> row_of(const MapBlock& block, std::uint32_t row) const;
};

// Why a tensor is in no lane: "no elements", "refused", "NULL data", ...; "" when it is in one.
[[nodiscard]] const char* why_without_memory(const core::TensorRecord& tensor);

// Converts an address of a block to units.
[[nodiscard]] double unit_of(const MapBlock& block, core::Address address);
// The inverse; clamped to the block.
[[nodiscard]] core::Address address_of(const MapBlock& block, double unit);

// thread: a worker. When stopped, the map is incomplete and must be discarded.
[[nodiscard]] MemoryMap build_memory_map(const core::Snapshot& snapshot, const std::stop_token& stop = {});

}  // namespace dlscope::app
