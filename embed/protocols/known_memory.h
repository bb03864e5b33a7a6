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

namespace dlscope::embed {

class KnownMemory {
 public:
  KnownMemory();

  // Every byte of [address, address + size) is readable. May re-read the map.
  [[nodiscard]] bool contains(core::Address address, std::size_t size) { return !around(address, size).empty(); }
  // The readable memory around [address, address + size), all of which it holds; empty when it does not. May re-read the map.
  [[nodiscard]] core::ByteRange around(core::Address address, std::size_t size) {
    if (holds(last_, address, size)) return last_;
    return contains_already(address, size) || (refresh() && look_up(address, size)) ? last_ : core::ByteRange{};
  }
  // The same as contains without ever reading the map again.
  [[nodiscard]] bool contains_already(core::Address address, std::size_t size);
  // `address` lies in a file's read-only mapping: a library's constants, which stay as they are.
  [[nodiscard]] bool is_constant(core::Address address) const;
  // The code at `address` lies in a file of a library in the table. Remembers the last answers.
  [[nodiscard]] bool is_library_code(core::Address address) {
    return address == last_code_.address ? last_code_.known : look_up_code(address);
  }
  // Null when the system gave no map.
  [[nodiscard]] const core::AddressMap* map() const { return map_ ? &*map_ : nullptr; }

  // Reads the map again; false when this scan has done so often enough.
  bool refresh();

  static constexpr int kMaxRefreshes = 64;

 private:
  void load();
  [[nodiscard]] static bool holds(core::ByteRange range, core::Address address, std::size_t size) {
    return range.contains(address) && size <= range.end - address;
  }
  [[nodiscard]] bool look_up(core::Address address, std::size_t size);  // makes it last_
  [[nodiscard]] bool look_up_code(core::Address address);

  std::optional<core::AddressMap> map_;
  std::vector<core::ByteRange> readable_;  // sorted, merged
  core::ByteRange last_{}, before_last_{};
  struct CodeAnswer {
    core::Address address = 0;
    bool known = false;
  };
  CodeAnswer last_code_, before_last_code_;
  int refreshes_ = 0;
};

}  // namespace dlscope::embed
