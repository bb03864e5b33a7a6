// How two tensors of a snapshot relate in memory. The window, --expect and the Python module all ask here. The reasons for
// "unknown" are listed in core/sharing/unknown_why.h. thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Why it is not known which bytes belong to the tensor: not_described, no_layout, copied_for_export, no_address, null_data or
// unreadable. none: they are known, or the tensor has no bytes.
[[nodiscard]] UnknownWhy why_bytes_unknown(const Snapshot& snapshot, const TensorRecord& tensor);

// The number of tensors whose bytes are not known.
[[nodiscard]] std::uint64_t count_bytes_unknown(const Snapshot& snapshot);

// What contradicts the producer's claim about the device; nullopt if __dlpack_device__, the struct, the CUDA driver where it was
// asked and the address map agree. The text may be "": an excerpt of a kept moment has none. Two names for host memory (a pinned
// tensor that PyTorch's capsule calls plain CPU memory) are no contradiction: the addresses are the same. `tensor` must be an
// element of snapshot.tensors.
[[nodiscard]] std::optional<std::string_view> contradiction_about_device(const Snapshot& snapshot, const TensorRecord& tensor);

// Whether the space is a device's whose memory may also be the host's, at the same addresses: oneAPI, whose kinds "host" and
// "shared" DLPack does not tell from "device".
[[nodiscard]] bool may_be_the_hosts(const Snapshot& snapshot, SpaceId space);

// For two tensors in different spaces whose extents meet: why it is not certain that their memory differs; none: it is.
[[nodiscard]] UnknownWhy why_spaces_uncertain(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b);

// Whether the tensor may share bytes with one whose extent it does not meet: its pages are mapped at other addresses, too, or
// whether they are was never found out.
[[nodiscard]] bool may_share_elsewhere(const Snapshot& snapshot, const TensorRecord& tensor);

// How tensors a and b relate, as far as that is known without comparing their bytes. Taken from the list of pairs if it has them;
// otherwise they are disjoint if their extents do not meet. In different spaces they are disjoint, unless it is not certain in
// which space one of them is. In the result the ids are in ascending order, and the relation is that of the lower to the higher
// id. nullopt: their extents meet, so only a comparison can tell; where info.missing_pairs is `none` they share nothing. Needs
// a != b.
[[nodiscard]] std::optional<PairRecord> known_relation(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);

// The same, with the comparison where it is needed, within `budget`.
[[nodiscard]] PairRecord relation_between(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b,
                                          const OverlapBudget& budget = {});

// The pair's witness, the lowest byte that both contain, as an address of one of the two. They differ where the pages are mapped at
// several addresses. Needs a pair with shared bytes.
[[nodiscard]] Address witness_in(const Snapshot& snapshot, const PairRecord& pair, std::uint32_t tensor);

// The C-order indices of the elements of pair.a and pair.b that contain the pair's witness; the lowest one of each tensor.
// nullopt: the pair has no witness, or finding the elements takes more work than `budget` allows (usual layouts take some ten
// nanoseconds). Computed on demand, because storing them would make the list of pairs half as large again.
struct WitnessElements {
  std::uint64_t a = 0, b = 0;
};
[[nodiscard]] std::optional<WitnessElements> witness_elements(const Snapshot& snapshot, const PairRecord& pair,
                                                              const OverlapBudget& budget = {});

// Which tensor of an unknown pair causes the reason; kNone32: neither.
[[nodiscard]] std::uint32_t subject_of(const Snapshot& snapshot, const PairRecord& pair);

// Why an unknown pair is unknown, as a clause. If a library refused a
// tensor, the library's message; if a struct is wrong, what is wrong.
// a, b: the names to use for the two tensors.
[[nodiscard]] std::string text_for_unknown(const Snapshot& snapshot, const PairRecord& pair, std::string_view a,
                                           std::string_view b);

}  // namespace dlscope::core
