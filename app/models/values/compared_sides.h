// The two tensors of the compare view: A and B of the shown snapshot; or A as remembered at an earlier moment and B as it is; or A
// as it is and B of a tensor file.
// Valid for one frame, like what it points to.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/models/heatmap/heatmap_store.h"
#include "core/inventory/snapshot.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

struct ComparedSide {
  const core::Snapshot* snapshot = nullptr;  // null: there is no such tensor
  std::uint32_t tensor = core::kNone32;      // of that snapshot
  const core::MemoryReader* reader = nullptr;
  std::string when;     // "as it was at run 3", "of the file w.npy"; "": as in the shown snapshot
  std::string why_not;  // why its values may not be read, as a sentence; "": they may
  bool own = true;      // the bytes are known to be the tensor's own

  [[nodiscard]] bool exists() const { return snapshot != nullptr; }
  [[nodiscard]] const core::TensorRecord& record() const { return snapshot->tensors[tensor]; }
  [[nodiscard]] core::LayoutView layout() const { return snapshot->layout(record()); }
  [[nodiscard]] core::TensorValues values() const { return core::tensor_values(*snapshot, record()); }
  [[nodiscard]] core::SignBits signs() const { return sign_bits_of(*snapshot, record()); }
};

// The tensor file that B is of.
struct ComparedFileTensors {
  std::string path;                          // "": B is not of a file
  const core::Snapshot* snapshot = nullptr;  // of its tensors; null: it is being opened
  std::uint32_t tensor = core::kNone32;      // of that snapshot: B; kNone32: none is chosen
  std::string warning;                       // what has become of the file since it was opened, as sentences; "": nothing
};

// The pictures of the compare view.
enum class ComparePicture : std::uint8_t { a, b, difference, count };

struct ComparedSides {
  ComparedSide a, b;
  std::uint64_t moment = 0;    // that A is of; 0: the shown one
  ComparedFileTensors file;    // that B is of
  bool preparing = false;      // A's moment is being unpacked
  std::uint64_t revision = 0;  // rises when A or B becomes another tensor, or is taken from another snapshot
  std::array<const HeatmapStore*, static_cast<std::size_t>(ComparePicture::count)> pictures{};

  [[nodiscard]] bool both() const { return a.exists() && b.exists(); }
  [[nodiscard]] bool may_be_read() const {
    return a.why_not.empty() && b.why_not.empty() && a.reader != nullptr && b.reader != nullptr;
  }
  [[nodiscard]] bool own() const { return a.own && b.own; }
  [[nodiscard]] bool both_shown() const { return moment == 0 && file.path.empty(); }  // are of the shown snapshot
  [[nodiscard]] const HeatmapStore& picture(ComparePicture which) const { return *pictures[static_cast<std::size_t>(which)]; }
};

}  // namespace dlscope::app
