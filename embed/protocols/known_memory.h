// KnownMemory: the addresses of this process that are mapped, as known in one scan. Decides where a foreign struct may be read
// with plain loads: in anonymous mappings seen in this scan, on pages that are there (one that is not may never come, and a load
// has no time limit), and only if the deleter's code belongs to a known library. The heap grows while producers run, so a new
// address may cause the map to be read again, a bounded number of times.
// thread: GIL held.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/memory/address_map.h"
#include "core/memory/mapped_memory.h"

namespace dlscope::embed {

class KnownMemory final : public core::MappedMemory {
 public:
  KnownMemory();

  // The same as contains(), but never reads the map again.
  [[nodiscard]] bool contains_already(core::Address address, std::size_t size);
  // Whether `address` is in a read-only file mapping: a library's constants, which do not change.
  [[nodiscard]] bool is_constant(core::Address address) const;
  // Null: the system gave no map.
  [[nodiscard]] const core::AddressMap* map() const { return map_ ? &*map_ : nullptr; }

  // Reads the map again; false when this scan has done so too often.
  bool refresh();
  // For an object that outlives a scan: resets the count of refreshes.
  void allow_refreshes() { refreshes_ = 0; }

  static constexpr int kMaxRefreshes = 64;

 private:
  void load();
  [[nodiscard]] bool look_up(core::Address address, std::size_t size) override;
  // True for code of a library in the table: its structs live until their deleter is called.
  [[nodiscard]] bool look_up_deleter(core::Address deleter) override;
  [[nodiscard]] bool find(core::Address address, std::size_t size);  // in the map as known so far, and there
  [[nodiscard]] const core::ByteRange* mapped(core::Address address, std::size_t size) const;  // null: not readable

  std::optional<core::AddressMap> map_;
  std::vector<core::ByteRange> readable_;  // sorted, merged
  core::ByteRange before_last_range_;
  DeleterAnswer before_last_deleter_;
  int refreshes_ = 0;
};

}  // namespace dlscope::embed
