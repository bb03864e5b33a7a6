// TapeRange: the bytes that a storage tape spans: the tensor's own; those from its data pointer on, when it is near; and on
// request those of every tensor it shares memory with. The tape's axis counts bits from the first of these bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct TapeRange {
  bool addressed = false;                   // false: it has no place in memory (has_place()); then positions are relative only
  core::Address begin = 0;                  // valid when addressed
  std::int64_t bits = 0;                    // length of the axis
  std::int64_t origin = 0;                  // position where element [0,...,0] starts
  std::int64_t own_begin = 0, own_end = 0;  // positions of the tensor's own bytes
  std::optional<std::int64_t> data;         // position the data pointer points to, if that is on the axis

  // The position of any address; nullopt: too far away to be on a tape.
  [[nodiscard]] std::optional<std::int64_t> bit_of(core::Address address) const;
};

enum class TapeScope : std::uint8_t { tensor, group };

// The tensor must have a layout and at least one element.
[[nodiscard]] TapeRange tape_range(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TapeScope scope);

}  // namespace dlscope::app
