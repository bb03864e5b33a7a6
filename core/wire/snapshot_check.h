// What a snapshot from another process must fulfil before anyone reads it. Two steps: the raw bytes of enums and bools
// (reading a wrong one through its type would be undefined), then everything that refers to something else.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core::wire {

// Whether the enums and bools of the T whose bytes lie at `bytes` (any alignment) have values that exist.
template <class T>
[[nodiscard]] bool raw_values_fit(const std::byte* bytes) = delete;

template <>
bool raw_values_fit<SnapshotInfo>(const std::byte* bytes);
template <>
bool raw_values_fit<TensorRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<RefusalRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<RemarkRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<PairRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<StatisticsRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<AllocationRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<EventRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<ItemFieldRecord>(const std::byte* bytes);
template <>
bool raw_values_fit<LimitRecord>(const std::byte* bytes);

// Records that have such rules.
template <class T>
concept HasRawRules = requires(const std::byte* bytes) { raw_values_fit<T>(bytes); };

// Every slice and index lies in its pool, every layout is valid and agrees with its extent and counts, pairs and groups
// speak of tensors that exist, texts hold no control characters. The message names what failed first.
[[nodiscard]] Result<void> check_snapshot(const Snapshot& snapshot);

}  // namespace dlscope::core::wire
