// ChunkStore: stores sequences of numbers or text as chunks; equal chunks are stored once. The values around a place decide
// whether a chunk ends there (content-defined chunking), so an insertion or a change affects only the chunks around it, and two
// similar sequences share nearly all of their chunks.
// thread: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dlscope::app {

class ChunkStore {
 public:
  struct Chunk {
    std::uint64_t hash = 0;
    std::vector<std::byte> bytes;
    std::uint32_t sum = 0;            // of its numbers, modulo 2^32; of text 0
    mutable std::uint64_t users = 0;  // reference count; guarded by the store's mutex
  };
  // Valid until released; reading it needs no lock.
  using ChunkRef = const Chunk*;

  // Appends the chunks of the sequence to `out`. Each must be released exactly once.
  void keep(std::span<const std::uint32_t> numbers, std::vector<ChunkRef>& out);
  void keep(std::span<const char> text, std::vector<ChunkRef>& out);
  void release(std::span<const ChunkRef> chunks);

  // Of all chunks, including the store's overhead.
  [[nodiscard]] std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // A lookup key that refers to the bytes without copying them.
  struct Wanted {
    std::uint64_t hash = 0;
    std::span<const std::byte> bytes;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Chunk& chunk) const { return chunk.hash; }
    std::size_t operator()(const Wanted& wanted) const { return wanted.hash; }
  };
  // Chunks are equal when their bytes are; the hash alone decides nothing.
  struct Equal {
    using is_transparent = void;
    bool operator()(const Chunk& a, const Chunk& b) const { return a.bytes == b.bytes; }
    bool operator()(const Wanted& a, const Chunk& b) const;
    bool operator()(const Chunk& a, const Wanted& b) const { return (*this)(b, a); }
  };
  template <class T>
  void keep_sequence(std::span<const T> values, std::vector<ChunkRef>& out);

  std::mutex mutex_;
  std::unordered_set<Chunk, Hash, Equal> chunks_;  // node-based, so that the addresses of chunks are stable
  std::atomic<std::size_t> bytes_ = 0;
};

// ChunkList: owns references to chunks and releases them when destroyed.
class ChunkList {
 public:
  explicit ChunkList(std::shared_ptr<ChunkStore> store) : store_(std::move(store)) {}
  ~ChunkList() { store_->release(chunks_); }
  ChunkList(const ChunkList&) = delete;
  ChunkList& operator=(const ChunkList&) = delete;

  void keep(std::span<const std::uint32_t> numbers) { store_->keep(numbers, chunks_); }
  void keep(std::span<const char> text) { store_->keep(text, chunks_); }
  void shrink_to_fit() { chunks_.shrink_to_fit(); }
  [[nodiscard]] std::span<const ChunkStore::ChunkRef> chunks() const { return chunks_; }
  [[nodiscard]] std::size_t bytes() const { return chunks_.capacity() * sizeof(ChunkStore::ChunkRef); }

 private:
  std::shared_ptr<ChunkStore> store_;
  std::vector<ChunkStore::ChunkRef> chunks_;
};

}  // namespace dlscope::app
