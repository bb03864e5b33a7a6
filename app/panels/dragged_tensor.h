// Drag and drop of a tensor, from a row of the table to whatever accepts tensors.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/panels/frame_context.h"
#include "app/widgets/marks.h"

namespace dlscope::app {

struct DraggedTensor {
  std::uint64_t generation = 0;  // of its index: a newer one numbers its tensors differently
  std::uint32_t tensor = 0;
};
inline constexpr const char* kDraggedTensor = "dlscope tensor";

// Makes the last item a drag source for this tensor.
inline void drag_tensor(const FrameContext& context, std::uint32_t tensor) {
  if (!ImGui::BeginDragDropSource()) return;
  const DraggedTensor dragged{context.generation, tensor};
  ImGui::SetDragDropPayload(kDraggedTensor, &dragged, sizeof dragged);
  draw_text(std::string(context.index->snapshot->name(context.index->tensor(tensor))));
  ImGui::EndDragDropSource();
}

// The tensor that was dropped on the last item in this frame; nullopt: none.
[[nodiscard]] inline std::optional<std::uint32_t> dropped_tensor(const FrameContext& context) {
  if (!ImGui::BeginDragDropTarget()) return std::nullopt;
  std::optional<std::uint32_t> dropped;
  const ImGuiPayload* const payload = ImGui::AcceptDragDropPayload(kDraggedTensor);
  if (payload != nullptr && payload->DataSize == sizeof(DraggedTensor)) {
    const auto dragged = *static_cast<const DraggedTensor*>(payload->Data);
    if (dragged.generation == context.generation && context.index != nullptr && dragged.tensor < context.index->size())
      dropped = dragged.tensor;
  }
  ImGui::EndDragDropTarget();
  return dropped;
}

}  // namespace dlscope::app
