// Snapshots for tests: small ones with something in every pool, and large ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/inventory/snapshot_builder.h"

namespace dlscope::core::testing {

inline constexpr DType kFloat32{2, 32, 1};
inline constexpr DType kInt4{0, 4, 1};

// As the buffer protocol would describe it. Empty strides: C order.
[[nodiscard]] TensorDesc array_desc(Address data, const std::vector<std::int64_t>& shape,
                                    const std::vector<std::int64_t>& strides_bytes = {}, DType dtype = kFloat32);

// As a versioned capsule would describe it, with every optional fact present.
[[nodiscard]] TensorDesc capsule_desc(Address data, const std::vector<std::int64_t>& shape, DeviceId device = kCpuDevice);

// One record at least in every pool; made by hand, without analyse(). Tensors: 0 "x" and 1 "y" share a group; 2 "nothing" is
// refused by every protocol; 3 "on_gpu" lies in a space of its own.
[[nodiscard]] std::shared_ptr<Snapshot> full_snapshot();

// `tensors` small arrays side by side, and `pairs` pairs of two of them (claimed, not true).
[[nodiscard]] std::shared_ptr<Snapshot> large_snapshot(std::uint32_t tensors, std::uint32_t pairs);

}  // namespace dlscope::core::testing
