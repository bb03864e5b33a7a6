// MappedMemory: decides which memory of this process a scan may read with plain loads ("mapped" reading; embed implements it).
// Caches its last answers, so that for many tensors of one library each answer costs two comparisons.
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
  // Structs with this deleter belong to a known library, which keeps them readable while a scan looks at them. False for 0.
  [[nodiscard]] bool trusts(Address deleter) {
    return deleter == last_deleter_.address ? last_deleter_.trusted : look_up_deleter(deleter);
  }

 protected:
  ~MappedMemory() = default;

  // Called when last_range_ or last_deleter_ does not give the answer.
  // May replace them, so that the next question is answered by them.
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
