// PageAliases: the pages of files that a process has mapped, shared, at more than one address: multiprocessing.shared_memory that is
// opened twice, two numpy.memmap of one file. A write through one address shows at the others, so that equal addresses are not the
// only way to be the same memory.
#pragma once

#include <vector>

#include "core/base/address.h"
#include "core/memory/address_map.h"

namespace dlscope::core {

// thread: one, or any while it is not changed.
class PageAliases {
 public:
  explicit PageAliases(const AddressMap& map);

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  // What to add to the addresses of `range` to get numbers that are equal exactly for the same byte of the same file. They are no
  // addresses of the process. 0: the range does not lie, as a whole, in pages that are mapped more than once.
  [[nodiscard]] Address shift_of(ByteRange range) const;
  // Another address of the first byte of `range`, at which a mapping ends up with the same page. Needs shift_of(range) != 0.
  [[nodiscard]] Address other_address(ByteRange range) const;
  // Whether some bytes of `range` have such a number, and others have none or lie in another mapping.
  [[nodiscard]] bool splits(ByteRange range) const;
  // The pages that are mapped in `range` count as mapped once from now on.
  void forget(ByteRange range);

 private:
  struct Part {
    ByteRange range;
    Address shift = 0;
  };
  std::vector<Part> parts_;  // by ascending range
};

}  // namespace dlscope::core
