#include "core/inventory/pair_limit.h"

#include <algorithm>

#include "core/inventory/record.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kSmallestPairLimit = 1'000'000, kLargestPairLimit = std::uint64_t{1} << 22;
constexpr std::uint64_t kShareOfMemory = 8;
// The copies of the list: two snapshots each in the host, in the memory shared with the viewer and in the viewer; one as bytes
// that are being decoded; and the viewer's index. (While pairs are found, no more is needed for each.)
constexpr std::uint64_t kBytesPerPair = 7 * sizeof(PairRecord) + 2 * 2 * sizeof(std::uint32_t);

}  // namespace

std::uint64_t pair_limit(std::optional<std::uint64_t> available_bytes) {
  return std::clamp(available_bytes.value_or(0) / kShareOfMemory / kBytesPerPair, kSmallestPairLimit, kLargestPairLimit);
}

}  // namespace dlscope::core
