// KnownMemory: which addresses of this process are mapped, as far as one scan knows. Decides where a foreign struct may be
// read with plain loads (design.md, decision 10): in anonymous mappings seen during this scan, and with a deleter whose code
// belongs to a known library. The heap grows while producers run, so an unknown address may refresh the map, a bounded
// number of times.
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

  // The same as contains(), which may read the map again, without ever doing so.
  [[nodiscard]] bool contains_already(core::Address address, std::size_t size);
  // `address` lies in a file's read-only mapping: a library's constants, which stay as they are.
  [[nodiscard]] bool is_constant(core::Address address) const;
  // Null when the system gave no map.
  [[nodiscard]] const core::AddressMap* map() const { return map_ ? &*map_ : nullptr; }

  // Reads the map again; false when this scan has done so often enough.
  bool refresh();
  // For an object that outlives one scan: the map may be read again as often as in a new one.
  void allow_refreshes() { refreshes_ = 0; }

  static constexpr int kMaxRefreshes = 64;

 private:
  void load();
  [[nodiscard]] bool look_up(core::Address address, std::size_t size) override;
  // Code of a library in the table: its structs live until their deleter is called.
  [[nodiscard]] bool look_up_deleter(core::Address deleter) override;
  [[nodiscard]] bool find(core::Address address, std::size_t size);  // in what is known of the map

  std::optional<core::AddressMap> map_;
  std::vector<core::ByteRange> readable_;  // sorted, merged
  core::ByteRange before_last_range_;
  DeleterAnswer before_last_deleter_;
  int refreshes_ = 0;
};

}  // namespace dlscope::embed
