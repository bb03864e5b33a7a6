// Focus: what the mouse is on. All views read it and highlight the same bytes; the view under the mouse sets it, and the others
// show it one frame later. A click pins it: it stays when the mouse moves away.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/address.h"
#include "core/inventory/record.h"

namespace dlscope::app {

struct Focus {
  std::uint32_t tensor = core::kNone32;  // kNone32: nothing
  std::optional<std::uint64_t> element;  // C-order number inside the tensor
  core::SpaceId space = core::kNoSpace;
  core::ByteRange bytes;  // empty: the whole tensor
  int axis = -1;          // an axis of the tensor (its entry in shape or strides) instead of an element; -1: none

  [[nodiscard]] bool on_tensor() const { return tensor != core::kNone32; }
  friend bool operator==(const Focus&, const Focus&) = default;
};

// How bytes relate to the focus. Pinned wins: it stays marked when the mouse is on something else.
enum class FocusMark : std::uint8_t { none, hovered, pinned };
[[nodiscard]] inline FocusMark focus_mark(const Focus& hover, const Focus& pinned, core::SpaceId space, core::ByteRange bytes) {
  const auto meets = [&](const Focus& focus) {
    return focus.on_tensor() && focus.space == space && !focus.bytes.empty() && focus.bytes.meets(bytes);
  };
  return meets(pinned) ? FocusMark::pinned : meets(hover) ? FocusMark::hovered : FocusMark::none;
}

}  // namespace dlscope::app
