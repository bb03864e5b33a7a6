#include "core/inventory/kept_bytes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <new>
#include <string>

#include "core/inventory/readable.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Error unreadable(const MemoryReader& memory) {
  const std::string problem = memory.problem();
  return {ErrorKind::environment, problem.empty() ? "its memory could not be read to the end" : problem};
}

// The extent, if it can be read and has at most `most` bytes; else the error says why not.
Result<ByteRange> extent_of(const Snapshot& snapshot, const TensorRecord& tensor, std::uint64_t most) {
  if (!tensor.has_metadata || !has_known_extent(tensor)) return fail(ErrorKind::unsupported, "where its bytes lie is not known");
  if (!tensor.extent.empty() && !may_be_read(snapshot, tensor)) {
    const bool on_host = tensor.space == kHostSpace;
    return fail(ErrorKind::unsupported,
                on_host ? std::string("its memory cannot be read from here")
                        : fmt::format("it lies on {}, whose memory cannot be read from here", device_name(tensor.device)));
  }
  if (tensor.extent.size() > most)
    return fail(ErrorKind::unsupported,
                fmt::format("its elements lie within {} MiB, and at most {} MiB of a tensor are {}", tensor.extent.size() / kMiB,
                            most / kMiB, most == kMaxKeptBytes ? "kept" : "hashed"));
  return tensor.extent;
}

}  // namespace

std::uint64_t hash_of_bytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Result<std::vector<std::byte>> copy_of_extent(const Snapshot& snapshot, const TensorRecord& tensor, const MemoryReader& memory) {
  const auto extent = extent_of(snapshot, tensor, kMaxKeptBytes);
  if (!extent) return std::unexpected(extent.error());
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent->size()));
    // In pieces, because the reader may have a deadline for each call.
    for (std::size_t from = 0; from < bytes.size();) {
      const std::span<std::byte> piece = std::span(bytes).subspan(from, std::min<std::size_t>(bytes.size() - from, kHashedBlock));
      if (memory.read(extent->begin + from, piece) != piece.size()) return std::unexpected(unreadable(memory));
      from += piece.size();
    }
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::environment, "there is not enough memory for a copy of it");
  }
}

Result<std::vector<std::uint64_t>> hashes_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                    const MemoryReader& memory) {
  const auto extent = extent_of(snapshot, tensor, kMaxHashedBytes);
  if (!extent) return std::unexpected(extent.error());
  std::vector<std::uint64_t> hashes;
  std::vector<std::byte> block;
  for (Address from = extent->begin; from < extent->end; from += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(extent->end - from, kHashedBlock)));
    if (memory.read(from, block) != block.size()) return std::unexpected(unreadable(memory));
    hashes.push_back(hash_of_bytes(block));
  }
  return hashes;
}

}  // namespace dlscope::core
