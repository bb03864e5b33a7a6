// MappedMemory: what of this process may be read with plain loads (design.md, decision 10), in the judgement of whoever
// implements it. Remembers where its last answers lay: for a row of tensors they cost two comparisons each.
// thread: one at a time.
#pragma once

#include <cstddef>

#include "core/base/address.h"

namespace dlscope::core {

class MappedMemory {
 public:
  // Every byte of [address, address + size) is readable.
  [[nodiscard]] bool contains(Address address, std::size_t size) {
    return last_range_.holds(address, size) || look_up(address, size);
  }
  // Whoever gave this deleter to a struct keeps the struct readable while it is looked at. Never true of 0.
  [[nodiscard]] bool trusts(Address deleter) {
    return deleter == last_deleter_.address ? last_deleter_.trusted : look_up_deleter(deleter);
  }

 protected:
  ~MappedMemory() = default;

  // Neither last_range_ nor last_deleter_ had the answer: they may be changed so that they will.
  [[nodiscard]] virtual bool look_up(Address address, std::size_t size) = 0;
  [[nodiscard]] virtual bool look_up_deleter(Address deleter) = 0;

  struct DeleterAnswer {
    Address address = 0;
    bool trusted = false;
  };
  ByteRange last_range_;
  DeleterAnswer last_deleter_;
};

}  // namespace dlscope::core
