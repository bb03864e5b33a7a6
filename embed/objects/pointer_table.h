// PointerTable: addresses to small numbers, for the questions a scan asks of every entry it meets ("this type?", "seen
// before?"). Open addressing; an answer costs one cache line. Addresses are never dereferenced; null is no key.
#pragma once

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

  // Objects are 16-byte aligned and mostly lie in rows, in the order they are asked for: neighbours stay neighbours, so that
  // a walk over 1e5 of them walks the table too. Higher bits are folded in against rows a power of two apart.
  [[nodiscard]] std::size_t home(const void* key) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(key);
    return static_cast<std::size_t>((bits >> 4) + (bits >> 16) * 0x9E3779B97F4A7C15u) & mask_;
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
    for (const Slot& slot : old) {
      if (slot.key != nullptr) place(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0, count_ = 0;
};

}  // namespace dlscope::embed
