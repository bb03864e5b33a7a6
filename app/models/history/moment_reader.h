// MomentReader: reads some records of a kept moment. Of a packed one it unpacks only these: one tensor costs a small part of what
// the whole moment costs.
// thread: any; each reader is used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "app/models/history/kept_moment.h"
#include "core/inventory/snapshot_pools.h"

namespace dlscope::app {

class MomentReader {
 public:
  explicit MomentReader(const KeptMoment& moment) : stored_(moment.stored()), tensors_(moment.tensors) {}

  [[nodiscard]] std::uint32_t tensors() const { return static_cast<std::uint32_t>(tensors_); }
  // Records first to first + count of a pool; they are in `scratch` when they had to be unpacked. A packed tensor's group is not
  // restored.
  template <class T>
  [[nodiscard]] std::span<const T> read(std::vector<T> core::Snapshot::*pool, std::size_t first, std::size_t count,
                                        std::vector<T>& scratch) const {
    if (stored_.whole) return std::span<const T>((*stored_.whole).*pool).subspan(first, count);
    scratch.resize(count);
    stored_.packed->read(number_of(pool), first, count, reinterpret_cast<std::byte*>(scratch.data()));
    return scratch;
  }
  template <class T>
  [[nodiscard]] std::span<const T> read_all(std::vector<T> core::Snapshot::*pool, std::vector<T>& scratch) const {
    return read(pool, 0, size(pool), scratch);
  }
  template <class T>
  [[nodiscard]] std::size_t size(std::vector<T> core::Snapshot::*pool) const {
    return stored_.whole ? ((*stored_.whole).*pool).size() : stored_.packed->size(number_of(pool));
  }
  [[nodiscard]] core::TensorRecord tensor(std::uint32_t id) const;
  [[nodiscard]] const core::SnapshotInfo& info() const { return stored_.whole ? stored_.whole->info : stored_.packed->info(); }

  // The slices of the name pool of the tensors from `first` on.
  [[nodiscard]] std::vector<core::Slice> names_of_tensors(std::uint32_t first, std::uint32_t count) const;
  // The tensors whose first element is at this address.
  [[nodiscard]] std::vector<std::uint32_t> tensors_at(core::Address address) const;
  // The entry in the list of pairs; nullopt: these two are not listed. a < b.
  [[nodiscard]] std::optional<core::PairRecord> listed_pair(std::uint32_t a, std::uint32_t b) const;
  // Where the CUDA driver says that the tensor is; nullopt: it was not asked, or does not know.
  [[nodiscard]] std::optional<core::DriverDeviceRecord> driver_device_of(std::uint32_t tensor) const;

 private:
  template <class T>
  static std::size_t number_of(std::vector<T> core::Snapshot::*pool) {
    static const core::Snapshot none;
    std::size_t number = 0, found = 0;
    const auto compare = [&](const auto& one) {
      if (static_cast<const void*>(&one) == static_cast<const void*>(&(none.*pool))) found = number;
      ++number;
    };
    std::apply([&](const auto&... pools) { (compare(pools), ...); }, core::pools_of(none));
    return found;
  }
  [[nodiscard]] std::vector<std::uint32_t> field(std::size_t offset, std::size_t first, std::size_t count) const;  // of tensors

  KeptMoment::Stored stored_;
  std::size_t tensors_;
};

}  // namespace dlscope::app
