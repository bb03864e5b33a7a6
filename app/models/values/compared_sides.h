// The two tensors of the compare view: A and B of what is shown, or A as it was remembered at a moment of the history and B as it is.
// A frame's; what it points to lives as long as the frame.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/models/heatmap/heatmap_store.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

struct ComparedSide {
  const core::Snapshot* snapshot = nullptr;  // null: there is no such tensor
  std::uint32_t tensor = core::kNone32;      // of that snapshot
  const core::MemoryReader* reader = nullptr;
  std::string when;     // "as it was at run 3"; "": as it is shown
  std::string why_not;  // why nothing of it may be read, as a sentence; "": it may
  bool own = true;      // what is read is known to be its own

  [[nodiscard]] bool exists() const { return snapshot != nullptr; }
  [[nodiscard]] const core::TensorRecord& record() const { return snapshot->tensors[tensor]; }
  [[nodiscard]] core::LayoutView layout() const { return snapshot->layout(record()); }
};

// The pictures of the compare view.
enum class ComparePicture : std::uint8_t { a, b, difference, count };

struct ComparedSides {
  ComparedSide a, b;
  std::uint64_t moment = 0;    // that A is of; 0: of what is shown
  bool preparing = false;      // A of that moment is being unpacked: it will be there
  std::uint64_t revision = 0;  // rises when A or B becomes another tensor, or the same one in another snapshot
  std::array<const HeatmapStore*, static_cast<std::size_t>(ComparePicture::count)> pictures{};

  [[nodiscard]] bool both() const { return a.exists() && b.exists(); }
  [[nodiscard]] bool may_be_read() const {
    return a.why_not.empty() && b.why_not.empty() && a.reader != nullptr && b.reader != nullptr;
  }
  [[nodiscard]] bool own() const { return a.own && b.own; }
  [[nodiscard]] const HeatmapStore& picture(ComparePicture which) const { return *pictures[static_cast<std::size_t>(which)]; }
};

}  // namespace dlscope::app
