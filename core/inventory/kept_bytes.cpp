#include "core/inventory/kept_bytes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <new>
#include <string>

#include "core/inventory/readable.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kPiece = kMiB;

Error unreadable(const MemoryReader& memory) {
  const std::string problem = memory.problem();
  return {ErrorKind::environment, problem.empty() ? "its memory could not be read to the end" : problem};
}

}  // namespace

Result<void> check_kept(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_metadata || !has_known_extent(tensor)) return fail(ErrorKind::unsupported, "where its bytes lie is not known");
  if (!tensor.extent.empty() && !may_be_read(snapshot, tensor)) {
    const bool on_host = tensor.space == kHostSpace;
    return fail(ErrorKind::unsupported,
                on_host ? std::string("its memory cannot be read from here")
                        : fmt::format("it lies on {}, whose memory cannot be read from here", device_name(tensor.device)));
  }
  return {};
}

std::uint64_t hash_of_bytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Result<std::vector<std::byte>> copy_of_extent(const Snapshot& snapshot, const TensorRecord& tensor, const MemoryReader& memory) {
  if (auto readable = check_kept(snapshot, tensor); !readable) return std::unexpected(readable.error());
  const ByteRange extent = tensor.extent;
  if (extent.size() > kMaxKeptBytes)
    return fail(ErrorKind::unsupported, fmt::format("its elements lie within {} MiB, and at most {} MiB of a tensor are kept",
                                                    extent.size() / kMiB, kMaxKeptBytes / kMiB));
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent.size()));
    // In pieces, because the reader may have a deadline for each call.
    for (std::size_t from = 0; from < bytes.size();) {
      const std::span<std::byte> piece = std::span(bytes).subspan(from, std::min<std::size_t>(bytes.size() - from, kPiece));
      if (memory.read(extent.begin + from, piece) != piece.size()) return std::unexpected(unreadable(memory));
      from += piece.size();
    }
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::environment, "there is not enough memory for a copy of it");
  }
}

}  // namespace dlscope::core
