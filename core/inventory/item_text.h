// The text of an element that DLPack has no dtype for. Pure function; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/inventory/snapshot.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

// As Snapshot::item_text(), which is the shortened one. The tensor must have an item type. item: its bytes.
[[nodiscard]] std::string item_text(const Snapshot& snapshot, const TensorRecord& tensor, std::span<const std::byte> item,
                                    ItemText length);

}  // namespace dlscope::core
