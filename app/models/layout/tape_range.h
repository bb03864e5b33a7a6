// TapeRange: which bytes a storage tape spans: the tensor's own, those from its data pointer on when that is near, and on
// request those of everything it shares memory with. The tape's axis counts bits from the first of these bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct TapeRange {
  bool addressed = false;                   // false: NULL data or memory without addresses; positions are then relative only
  core::Address begin = 0;                  // when addressed
  std::int64_t bits = 0;                    // length of the axis
  std::int64_t origin = 0;                  // where element [0,...,0] starts on it
  std::int64_t own_begin = 0, own_end = 0;  // where the tensor's own bytes lie on it
  std::optional<std::int64_t> data;         // where the data pointer points, when that is on the axis

  // For an address that may lie anywhere; nullopt: too far away to be on a tape.
  [[nodiscard]] std::optional<std::int64_t> bit_of(core::Address address) const;
};

enum class TapeScope : std::uint8_t { tensor, group };

// The tensor has a layout and elements.
[[nodiscard]] TapeRange tape_range(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TapeScope scope);

}  // namespace dlscope::app
