#include "app/models/history/packed_snapshot.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dlscope::app {
namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);

// Text is one column of characters.
template <class T>
constexpr bool kIsText = std::is_same_v<T, char>;

template <class T>
constexpr std::size_t columns_of() {
  static_assert(kIsText<T> || (sizeof(T) % kWord == 0 && std::is_trivially_copyable_v<T>));
  return kIsText<T> ? 1 : sizeof(T) / kWord;
}

template <class T>
std::uint32_t word_of(const T& record, std::size_t column) {
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::byte*>(&record) + column * kWord, kWord);
  return word;
}

// Tensor::group is kept apart from the other fields. Groups are numbered by address: a new one in the middle changes the numbers
// of all after it, whose tensors may be anywhere among the records.
template <class T>
constexpr bool is_group(std::size_t column) {
  return std::is_same_v<T, core::TensorRecord> && column == offsetof(core::TensorRecord, group) / kWord;
}

// The group of each tensor, reconstructed from the lists of members.
std::vector<std::uint32_t> groups_by_member(const core::Snapshot& snapshot) {
  std::vector<std::uint32_t> out(snapshot.tensors.size(), core::kNone32);
  for (std::uint32_t group = 0; group < snapshot.groups.size(); ++group) {
    for (const std::uint32_t member : core::Snapshot::slice(snapshot.group_members, snapshot.groups[group].members)) {
      if (member < out.size()) out[member] = group;
    }
  }
  return out;
}

template <class T>
void differences_of(std::span<const T> pool, std::size_t column, std::vector<std::uint32_t>& out) {
  out.resize(pool.size());
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const std::uint32_t word = word_of(pool[i], column);
    out[i] = word - before;
    before = word;
  }
}

// Calls set(i, value) for the records `first` to `end` of a column of differences, adding them up.
template <class Set>
void sum_up(std::span<const ChunkStore::ChunkRef> chunks, std::size_t first, std::size_t end, const Set& set) {
  std::uint32_t value = 0;
  std::size_t i = 0;
  for (const ChunkStore::ChunkRef chunk : chunks) {
    if (i >= end) return;
    if (const std::size_t next = i + chunk->bytes.size() / kWord; next <= first) {
      i = next;
      value += chunk->sum;
      continue;
    }
    for (std::size_t at = 0; at < chunk->bytes.size(); at += kWord) {
      std::uint32_t difference = 0;
      std::memcpy(&difference, chunk->bytes.data() + at, kWord);
      value += difference;
      if (i >= end) return;
      if (i >= first) set(i, value);
      ++i;
    }
  }
}

template <class Set>
void sum_up(std::span<const ChunkStore::ChunkRef> chunks, const Set& set) {
  sum_up(chunks, 0, std::numeric_limits<std::size_t>::max(), set);
}

void read_text(std::span<const ChunkStore::ChunkRef> chunks, std::size_t first, std::size_t count, std::byte* out) {
  std::size_t at = 0;
  for (const ChunkStore::ChunkRef chunk : chunks) {
    if (count == 0) return;
    const std::size_t skip = std::min(first - at, chunk->bytes.size()), taken = std::min(count, chunk->bytes.size() - skip);
    std::memcpy(out, chunk->bytes.data() + skip, taken);
    at += skip;
    first += taken;
    at += taken;
    out += taken;
    count -= taken;
  }
}

struct PoolColumns {
  std::size_t first = 0, count = 0;
  std::size_t group = core::kNone32;  // the column that is left out
  bool is_text = false;
};

// The position of each pool's columns.
const std::array<PoolColumns, core::kPools>& columns_of_pools() {
  static const auto all = [] {
    std::array<PoolColumns, core::kPools> out;
    std::size_t pool = 0, next = 0;
    const auto add = [&]<class T>(const std::vector<T>&) {
      PoolColumns& columns = out[pool++];
      columns = {.first = next, .count = columns_of<T>(), .is_text = kIsText<T>};
      for (std::size_t column = 0; column < columns.count; ++column) {
        if (is_group<T>(column)) columns.group = column;
      }
      next += columns.count;
    };
    const core::Snapshot none;
    std::apply([&](const auto&... pools) { (add(pools), ...); }, core::pools_of(none));
    return out;
  }();
  return all;
}

}  // namespace

template <class T>
void PackedSnapshot::add_column(std::span<const T> values) {
  const std::size_t first = chunks_.chunks().size();
  chunks_.keep(values);
  columns_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(chunks_.chunks().size() - first)});
}

template <class T>
void PackedSnapshot::pack_pool(std::span<const T> pool, std::vector<std::uint32_t>& scratch) {
  for (std::size_t column = 0; column < columns_of<T>(); ++column) {
    if constexpr (kIsText<T>) {
      add_column(pool);
    } else if (is_group<T>(column)) {
      columns_.emplace_back();
    } else {
      differences_of(pool, column, scratch);
      add_column(std::span<const std::uint32_t>(scratch));
    }
  }
}

PackedSnapshot::PackedSnapshot(const core::Snapshot& snapshot, std::span<const std::uint32_t> numbers,
                               std::shared_ptr<ChunkStore> store)
    : info_(snapshot.info), numbers_(numbers.size()), chunks_(std::move(store)) {
  std::vector<std::uint32_t> scratch;
  std::size_t number = 0;
  const auto pack = [&]<class T>(const std::vector<T>& pool) {
    sizes_[number++] = pool.size();
    pack_pool(std::span<const T>(pool), scratch);
  };
  std::apply([&](const auto&... pool) { (pack(pool), ...); }, core::pools_of(snapshot));
  std::vector<std::uint32_t> groups = groups_by_member(snapshot);
  for (std::size_t id = 0; id < groups.size(); ++id) groups[id] = snapshot.tensors[id].group - groups[id];
  pack_pool(std::span<const std::uint32_t>(groups), scratch);
  pack_pool(numbers, scratch);
  chunks_.shrink_to_fit();
  columns_.shrink_to_fit();
}

template <class T>
void PackedSnapshot::unpack_pool(std::vector<T>& pool, std::size_t number, std::size_t first_column) const {
  pool.resize(sizes_[number]);
  for (std::size_t column = 0; column < columns_of<T>(); ++column) {
    if (is_group<T>(column)) continue;
    const Refs chunks = chunks_of(columns_[first_column + column]);
    if constexpr (kIsText<T>) {
      char* at = pool.data();
      for (const ChunkStore::ChunkRef chunk : chunks) {
        std::memcpy(at, chunk->bytes.data(), chunk->bytes.size());
        at += chunk->bytes.size();
      }
    } else {
      std::byte* const to = reinterpret_cast<std::byte*>(pool.data()) + column * kWord;
      sum_up(chunks, [to](std::size_t i, std::uint32_t value) { std::memcpy(to + i * sizeof(T), &value, kWord); });
    }
  }
}

void PackedSnapshot::unpack_into(core::Snapshot& out) const {
  out.info = info_;
  std::size_t number = 0, column = 0;
  const auto unpack = [&]<class T>(std::vector<T>& pool) {
    unpack_pool(pool, number++, column);
    column += columns_of<T>();
  };
  std::apply([&](auto&... pool) { (unpack(pool), ...); }, core::pools_of(out));
  const std::vector<std::uint32_t> groups = groups_by_member(out);
  sum_up(chunks_of(columns_[column]), [&](std::size_t id, std::uint32_t value) { out.tensors[id].group = groups[id] + value; });
}

void PackedSnapshot::read(std::size_t pool, std::size_t first, std::size_t count, std::byte* out) const {
  const PoolColumns& columns = columns_of_pools()[pool];
  if (columns.is_text) return read_text(chunks_of(columns_[columns.first]), first, count, out);
  for (std::size_t column = 0; column < columns.count; ++column) {
    std::byte* const to = out + column * kWord;
    const auto set = [&](std::size_t i, std::uint32_t value) {
      std::memcpy(to + (i - first) * columns.count * kWord, &value, kWord);
    };
    if (column == columns.group) {
      for (std::size_t i = first; i < first + count; ++i) set(i, core::kNone32);
    } else {
      sum_up(chunks_of(columns_[columns.first + column]), first, first + count, set);
    }
  }
}

std::vector<std::uint32_t> PackedSnapshot::field(std::size_t pool, std::size_t offset, std::size_t first,
                                                 std::size_t count) const {
  std::vector<std::uint32_t> out(count);
  const Column& column = columns_[columns_of_pools()[pool].first + offset / kWord];
  sum_up(chunks_of(column), first, first + count, [&](std::size_t i, std::uint32_t value) { out[i - first] = value; });
  return out;
}

std::size_t PackedSnapshot::lower_bound(std::size_t pool, std::size_t offset, std::uint32_t wanted) const {
  std::uint32_t value = 0;
  std::size_t i = 0;
  for (const ChunkStore::ChunkRef chunk : chunks_of(columns_[columns_of_pools()[pool].first + offset / kWord])) {
    if (value + chunk->sum < wanted) {  // every value in the chunk is less, too (differences of a sorted column are not negative)
      value += chunk->sum;
      i += chunk->bytes.size() / kWord;
      continue;
    }
    for (std::size_t at = 0; at < chunk->bytes.size(); at += kWord, ++i) {
      std::uint32_t difference = 0;
      std::memcpy(&difference, chunk->bytes.data() + at, kWord);
      value += difference;
      if (value >= wanted) return i;
    }
  }
  return i;
}

std::vector<std::uint32_t> PackedSnapshot::numbers() const {
  std::vector<std::uint32_t> out(numbers_);
  sum_up(chunks_of(columns_.back()), [&](std::size_t i, std::uint32_t value) { out[i] = value; });
  return out;
}

}  // namespace dlscope::app
