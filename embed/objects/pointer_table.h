// PointerTable: hash map from address to small integer, one lookup per scanned object ("this type?", "seen before?"). Open
// addressing, at most half full; a lookup reads one or two cache lines. Addresses are never dereferenced; null is no key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlscope::embed {

class PointerTable {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(const void* key) const {
    if (slots_.empty()) return kAbsent;
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].value;
      if (slots_[i].key == nullptr) return kAbsent;
    }
  }

  // How many slots find() reads for this key; for tests, which must not measure time.
  [[nodiscard]] std::size_t probes(const void* key) const {
    std::size_t count = 0;
    for (std::size_t i = slots_.empty() ? 0 : home(key); count < slots_.size(); i = (i + 1) & mask_) {
      ++count;
      if (slots_[i].key == key || slots_[i].key == nullptr) break;
    }
    return count;
  }

  // The key must be absent.
  void insert(const void* key, std::uint32_t value) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    place(key, value);
    ++count_;
  }

 private:
  struct Slot {
    const void* key = nullptr;
    std::uint32_t value = 0;
  };

  // Every bit of the address affects every bit of the hash. Allocators return addresses in arithmetic progressions; a hash that
  // preserves their distances would make runs of full slots grow with the table.
  [[nodiscard]] std::size_t home(const void* key) const {
    std::uint64_t bits = reinterpret_cast<std::uintptr_t>(key);
    bits = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 32)) * 0xD6E8FEB86659FD93u;
    return static_cast<std::size_t>(bits >> shift_);
  }
  void place(const void* key, std::uint32_t value) {
    std::size_t i = home(key);
    while (slots_[i].key != nullptr) i = (i + 1) & mask_;
    slots_[i] = {key, value};
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = 64 - std::countr_zero(slots_.size());
    for (const Slot& slot : old) {
      if (slot.key != nullptr) place(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0, count_ = 0;
  int shift_ = 0;  // leaves as many bits of the hash as the table size needs
};

}  // namespace dlscope::embed
