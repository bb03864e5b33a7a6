// Snapshots made by hand, as a scan would make them: for models, panels and pictures, without Python.
// Addresses are invented; nothing lies behind them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/sharing/sharing.h"

namespace dlscope::tests {

// One tensor to put into a snapshot.
struct SampleTensor {
  std::string name;
  std::string library = "numpy";
  std::string type = "numpy.ndarray";
  std::string dtype = "float32";
  core::Address address = 0x55812e404a80;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  // in elements; empty: C order
  core::DeviceId device = core::kCpuDevice;
  core::CapsuleKind capsule = core::CapsuleKind::dltensor_versioned;  // none: through the buffer protocol
  core::Tri read_only = core::Tri::no;
  core::Tri is_copied = core::Tri::no;
  std::vector<core::Remark> remarks = {};
  std::vector<std::string> more_names = {};
  core::ByteRange allocation = {};  // empty: not known
  core::AllocationSource allocation_source = core::AllocationSource::base;
};

// The snapshot a scan of exactly these would give: sharing, groups and contiguity are worked out for real.
[[nodiscard]] core::SnapshotPtr snapshot_of(const std::vector<SampleTensor>& tensors, std::uint64_t run = 1,
                                            const core::SharingLimits& limits = {});
// Limits of an analysis that somebody stopped at once.
[[nodiscard]] core::SharingLimits stopped_limits();

// A short story: x, its transpose y and torch's view t; a broadcast w; a read-only mask; interleaved columns; an array of
// JAX; a tensor every protocol refused, one whose pointer is NULL, one on a device that differs from its claim.
[[nodiscard]] core::SnapshotPtr tour_snapshot();
[[nodiscard]] const char* tour_script();

[[nodiscard]] core::SnapshotPtr empty_snapshot();
// One array of one element, rank 0.
[[nodiscard]] core::SnapshotPtr scalar_snapshot();
// `count` small arrays of a list, `data[0]` ... , each with memory of its own; every tenth is a view of the one before.
[[nodiscard]] core::SnapshotPtr many_snapshot(std::uint32_t count);
// Nothing but trouble: refusals, impossible structs, rank 6, size 0, a name of 80 characters, NULL data.
[[nodiscard]] core::SnapshotPtr broken_snapshot();

}  // namespace dlscope::tests
