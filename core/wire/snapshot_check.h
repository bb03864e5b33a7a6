// Validation of a snapshot from another process, before anything reads it. Two steps: first the raw bytes of enums and bools
// (reading an invalid one through its type is undefined behaviour), then every reference from one record to another. thread: any.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core::wire {

// Whether the enums and bools of the T at `bytes` (sizeof(T) bytes, any alignment) have valid values.
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

// The record types that have such members.
template <class T>
concept HasRawRules = requires(const std::byte* bytes) { raw_values_fit<T>(bytes); };

// Checks that every slice and index lies in its pool, every layout is valid and agrees with its extent and counts, pairs and
// groups refer to tensors that exist, and texts hold no control characters. The error names the first check that failed.
[[nodiscard]] Result<void> check_snapshot(const Snapshot& snapshot);

}  // namespace dlscope::core::wire
