// The pages of files that a process has mapped at more than one address: multiprocessing.shared_memory that is opened twice, two
// numpy.memmap of one file. Equal addresses are then not the only way to be the same memory.
#pragma once

#include <span>
#include <vector>

#include "core/base/address.h"
#include "core/memory/address_map.h"

namespace dlscope::core {

// A part of a mapping whose pages another mapping shows, too.
struct AliasedPart {
  ByteRange range;
  Address shift = 0;  // to be added to its addresses to get numbers that are equal exactly for the same byte of the same file
  bool shared = false;
};

// The pages that are mapped, shared, at more than one address: a write through one address shows at the others.
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
  std::vector<AliasedPart> parts_;  // by ascending range
};

// The same with private mappings. A private page is the file's own, and so the same memory as in other mappings, until it is
// written; then it is a copy. Which pages have been written is not known. thread: any.
class PrivateAliases {
 public:
  explicit PrivateAliases(const AddressMap& map);

  // By ascending range; not all of them need be private.
  [[nodiscard]] std::span<const AliasedPart> parts() const { return parts_; }

 private:
  std::vector<AliasedPart> parts_;
};

}  // namespace dlscope::core
