// PackedSnapshot: a snapshot whose records lie in chunks that it shares with other packed snapshots (ChunkStore). Each field of a record is
// a column of 32-bit numbers, each the difference to that of the record before: what does not change along a column is a run of zeros, and
// a record that is inserted shifts the numbers of those behind it in one place only. (A tensor's group is also said by the list of members;
// kept is the difference to that.) What comes out is bit by bit what went in.
// thread: immutable; read by any.
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
  // numbers: kept beside it in the same way.
  PackedSnapshot(const core::Snapshot& snapshot, std::span<const std::uint32_t> numbers, std::shared_ptr<ChunkStore> store);

  // there: `out` holds what that one says, and only what differs is written; null: all is.
  void unpack_into(core::Snapshot& out, const PackedSnapshot* there) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;
  [[nodiscard]] bool has_numbers() const { return numbers_ > 0; }
  // Of its own: the lists of chunks, not the chunks.
  [[nodiscard]] std::size_t bytes() const { return sizeof *this + chunks_.bytes() + columns_.capacity() * sizeof(Column); }

 private:
  struct Column {
    std::uint32_t first = 0, count = 0;  // of chunks_
  };
  using Refs = std::span<const ChunkStore::ChunkRef>;
  [[nodiscard]] Refs chunks_of(const Column& column) const { return chunks_.chunks().subspan(column.first, column.count); }
  [[nodiscard]] bool same_column(std::size_t at, const PackedSnapshot& other) const;
  template <class T>
  void pack_pool(std::span<const T> pool, std::vector<std::uint32_t>& scratch);
  template <class T>
  void unpack_pool(std::vector<T>& pool, std::size_t number, std::size_t first_column, const PackedSnapshot* there) const;
  template <class T>
  void add_column(std::span<const T> values);

  core::SnapshotInfo info_;
  std::array<std::size_t, core::kPools> sizes_{};  // records of each pool
  std::size_t numbers_ = 0;
  std::vector<Column> columns_;  // of the pools in their order, then the tensors' groups, then the numbers
  ChunkList chunks_;
};

}  // namespace dlscope::app
