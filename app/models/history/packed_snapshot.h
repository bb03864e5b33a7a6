// PackedSnapshot: a snapshot whose records are stored as chunks that are shared with other packed snapshots (ChunkStore). Each
// field of a record is a column of 32-bit numbers, stored as differences to the previous record: a constant column becomes a run
// of zeros, and an inserted record changes the differences in one place only. (The list of members also tells a tensor's group;
// stored is the difference to that.) Unpacking gives back the same bits.
// thread: any; immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "app/models/history/chunk_store.h"
#include "core/inventory/snapshot.h"
#include "core/inventory/snapshot_pools.h"

namespace dlscope::app {

class PackedSnapshot {
 public:
  // numbers: stored with it in the same way (the colours).
  PackedSnapshot(const core::Snapshot& snapshot, std::span<const std::uint32_t> numbers, std::shared_ptr<ChunkStore> store);

  void unpack_into(core::Snapshot& out) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;
  [[nodiscard]] bool has_numbers() const { return numbers_ > 0; }

  [[nodiscard]] const core::SnapshotInfo& info() const { return info_; }
  // Parts of it, without unpacking the rest. The groups of tensors are not restored: a tensor's group depends on all others.
  [[nodiscard]] std::size_t size(std::size_t pool) const { return sizes_[pool]; }
  // Writes records first to first + count of a pool (core::pools_of) to `out`.
  void read(std::size_t pool, std::size_t first, std::size_t count, std::byte* out) const;
  // The 32-bit field at that place of each record, for `count` records from `first` on.
  [[nodiscard]] std::vector<std::uint32_t> field(std::size_t pool, std::size_t offset, std::size_t first, std::size_t count) const;
  // The first record whose field is not less than `value`; the pool must be sorted by that field.
  [[nodiscard]] std::size_t lower_bound(std::size_t pool, std::size_t offset, std::uint32_t value) const;

  // Of the lists of chunks, without the chunks.
  [[nodiscard]] std::size_t bytes() const { return sizeof *this + chunks_.bytes() + columns_.capacity() * sizeof(Column); }

 private:
  struct Column {
    std::uint32_t first = 0, count = 0;  // of chunks_
  };
  using Refs = std::span<const ChunkStore::ChunkRef>;
  [[nodiscard]] Refs chunks_of(const Column& column) const { return chunks_.chunks().subspan(column.first, column.count); }
  template <class T>
  void pack_pool(std::span<const T> pool, std::vector<std::uint32_t>& scratch);
  template <class T>
  void unpack_pool(std::vector<T>& pool, std::size_t number, std::size_t first_column) const;
  template <class T>
  void add_column(std::span<const T> values);

  core::SnapshotInfo info_;
  std::array<std::size_t, core::kPools> sizes_{};  // records of each pool
  std::size_t numbers_ = 0;
  std::vector<Column> columns_;  // of the pools in order, then the tensors' groups, then the numbers
  ChunkList chunks_;
};

}  // namespace dlscope::app
