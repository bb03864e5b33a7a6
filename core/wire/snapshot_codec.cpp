#include "core/wire/snapshot_codec.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include "core/inventory/snapshot_pools.h"
#include "core/wire/snapshot_check.h"

namespace dlscope::core::wire {
namespace {

constexpr std::uint64_t kMagic = 0x746f687370616e73;  // "snapshot"
constexpr std::size_t kAlign = 8;

struct Section {
  std::uint64_t offset = 0, count = 0;
  std::uint64_t item_bytes = 0;
};

struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t bytes = 0;  // of the whole encoding, this header included
  SnapshotInfo info;
  Section sections[kPools];
};
static_assert(std::is_trivially_copyable_v<Header>);

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

template <class T>
bool read_pool(std::span<const std::byte> bytes, const Section& section, std::vector<T>& pool) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (section.item_bytes != sizeof(T) || section.offset > bytes.size()) return false;
  const std::size_t room = bytes.size() - section.offset;
  if (section.count > room / sizeof(T) || section.count > std::numeric_limits<std::uint32_t>::max()) return false;
  if constexpr (HasRawRules<T>) {
    for (std::size_t i = 0; i < section.count; ++i) {
      if (!raw_values_fit<T>(bytes.data() + section.offset + i * sizeof(T))) return false;
    }
  }
  pool.resize(section.count);
  if (section.count != 0) std::memcpy(pool.data(), bytes.data() + section.offset, section.count * sizeof(T));
  return true;
}

std::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorKind::invalid, "the host sent a snapshot that cannot be used: " + what);
}

}  // namespace

std::size_t encoded_size(const Snapshot& snapshot) {
  return std::apply([](const auto&... pool) { return (aligned(sizeof(Header)) + ... + aligned(pool.size() * sizeof(pool[0]))); },
                    pools_of(snapshot));
}

std::size_t encode_snapshot(const Snapshot& snapshot, std::span<std::byte> out) {
  const std::size_t total = encoded_size(snapshot);
  if (total > out.size()) return 0;
  Header header;
  header.bytes = total;
  header.info = snapshot.info;
  std::size_t offset = aligned(sizeof(Header));
  std::size_t index = 0;
  const auto put = [&](const auto& pool) {
    const std::size_t bytes = pool.size() * sizeof(pool[0]);
    header.sections[index++] = {offset, pool.size(), sizeof(pool[0])};
    if (bytes != 0) std::memcpy(out.data() + offset, pool.data(), bytes);
    offset += aligned(bytes);
  };
  std::apply([&](const auto&... pool) { (put(pool), ...); }, pools_of(snapshot));
  std::memcpy(out.data(), &header, sizeof header);
  return total;
}

std::shared_ptr<const Snapshot> cut_to_fit(const Snapshot& snapshot, std::size_t bytes) {
  const std::size_t rest = encoded_size(snapshot) - snapshot.pairs.size() * sizeof(PairRecord);
  if (rest > bytes) return nullptr;
  auto cut = std::make_shared<Snapshot>(snapshot);
  cut->pairs.resize(std::min(cut->pairs.size(), (bytes - rest) / sizeof(PairRecord)));
  if (cut->pairs.size() == snapshot.pairs.size()) return cut;
  cut->info.missing_pairs = std::max(cut->info.missing_pairs, UnknownWhy::pair_bound);
  for (LimitRecord& limit : cut->limits) {
    if (cut->str(limit.what) == "pairs") limit = {cut->pairs.size(), limit.what, true};
  }
  return cut;
}

Result<std::shared_ptr<const Snapshot>> decode_snapshot(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Header)) return malformed("it is cut off");
  if (!raw_values_fit<SnapshotInfo>(bytes.data() + offsetof(Header, info))) return malformed("its description");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return malformed("it has no mark");
  if (header.bytes > bytes.size()) return malformed("it is cut off");
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->info = header.info;
  std::size_t index = 0;
  const bool pools_fit =
      std::apply([&](auto&... pool) { return (read_pool(bytes.first(header.bytes), header.sections[index++], pool) && ...); },
                 pools_of(*snapshot));
  if (!pools_fit) return malformed("section " + std::to_string(index - 1));
  if (const Result<void> checked = check_snapshot(*snapshot); !checked) return malformed(checked.error().message);
  return std::shared_ptr<const Snapshot>(std::move(snapshot));
}

}  // namespace dlscope::core::wire
