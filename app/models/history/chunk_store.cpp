#include "app/models/history/chunk_store.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace dlscope::app {
namespace {

// Size of a chunk in bytes: a change among many values costs about one chunk, and a list of chunks costs a pointer for each.
// After kMinBytes a chunk ends within kTypicalBytes more, on average.
constexpr std::size_t kMinBytes = 128, kTypicalBytes = 256, kMaxBytes = 4096;
constexpr std::size_t kWindow = 32;  // values that decide whether a chunk ends after them; older ones are shifted out
constexpr int kBitsEach = 64 / kWindow;

// How many of the values the first chunk holds.
template <class T>
std::size_t first_chunk(std::span<const T> values) {
  constexpr std::size_t kMin = kMinBytes / sizeof(T), kMax = kMaxBytes / sizeof(T);
  constexpr int kShift = 64 - std::countr_zero(kTypicalBytes / sizeof(T));
  static_assert(kMin >= kWindow);
  std::uint64_t window = 0;
  const std::size_t end = std::min(values.size(), kMax);
  for (std::size_t i = kMin - kWindow; i < end; ++i) {
    window = (window << kBitsEach) + (static_cast<std::uint64_t>(values[i]) + 1) * 0x9e3779b97f4a7c15U;
    if (i + 1 >= kMin && window >> kShift == 0) return i + 1;
  }
  return end;
}

template <class T>
std::uint32_t sum_of(std::span<const std::byte> bytes) {
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T value{};
      std::memcpy(&value, bytes.data() + at, sizeof value);
      sum += value;
    }
    return sum;
  }
  return 0;
}

// An estimate: the set's node, the vector's allocation and its bookkeeping.
std::size_t cost_of(std::size_t bytes) { return bytes + sizeof(ChunkStore::Chunk) + 4 * sizeof(void*); }

}  // namespace

bool ChunkStore::Equal::operator()(const Wanted& a, const Chunk& b) const {
  return a.bytes.size() == b.bytes.size() && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

template <class T>
void ChunkStore::keep_sequence(std::span<const T> values, std::vector<ChunkRef>& out) {
  std::vector<Wanted> wanted;
  while (!values.empty()) {
    const std::size_t count = first_chunk(values);
    const std::span<const std::byte> bytes = std::as_bytes(values.first(count));
    wanted.push_back({XXH3_64bits(bytes.data(), bytes.size()), bytes});
    values = values.subspan(count);
  }
  out.reserve(out.size() + wanted.size());
  const std::scoped_lock lock(mutex_);
  for (const Wanted& one : wanted) {
    auto found = chunks_.find(one);
    if (found == chunks_.end()) {
      found = chunks_.insert(Chunk{one.hash, {one.bytes.begin(), one.bytes.end()}, sum_of<T>(one.bytes)}).first;
      bytes_.fetch_add(cost_of(one.bytes.size()), std::memory_order_relaxed);
    }
    ++found->users;
    out.push_back(&*found);
  }
}

void ChunkStore::keep(std::span<const std::uint32_t> numbers, std::vector<ChunkRef>& out) { keep_sequence(numbers, out); }
void ChunkStore::keep(std::span<const char> text, std::vector<ChunkRef>& out) { keep_sequence(text, out); }

void ChunkStore::release(std::span<const ChunkRef> chunks) {
  const std::scoped_lock lock(mutex_);
  for (const ChunkRef chunk : chunks) {
    if (--chunk->users > 0) continue;
    bytes_.fetch_sub(cost_of(chunk->bytes.size()), std::memory_order_relaxed);
    chunks_.erase(chunks_.find(*chunk));
  }
}

}  // namespace dlscope::app
