// ByteOwners: for consecutive bytes, the tensor element that each is part of. Decided on the bytes that elements really touch,
// not on extents: a byte between elements is a hole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct ByteOwner {
  enum class Kind : std::uint8_t {
    nobody,     // outside all tensors
    element,
    hole,       // within the extent of `tensor`, but part of no element
    undecided,  // deciding takes more work than a frame allows
  };
  Kind kind = Kind::nobody;
  bool begins = false;                    // the element's first bit is in this byte
  std::uint32_t tensor = core::kNone32;   // set except for nobody
  std::uint64_t element = 0;              // the lowest one in C order that contains the byte
  friend bool operator==(const ByteOwner&, const ByteOwner&) = default;
};

class ByteOwners {
 public:
  static constexpr std::size_t kMaxTensors = 64;  // over the same bytes; more are ignored

  // Sets owners() for `count` bytes from `first` on, not beyond the last address. Where several tensors contain a byte,
  // `preferred` is named, else the first one in the memory map. Does nothing when called again with the same arguments. index:
  // may be null; its identity is `generation`.
  void find(const SnapshotIndex* index, std::uint64_t generation, core::SpaceId space, core::Address first, std::size_t count,
            std::uint32_t preferred);
  [[nodiscard]] std::span<const ByteOwner> owners() const { return owners_; }

 private:
  void look_for_tensors(const SnapshotIndex& index);
  void add(const SnapshotIndex& index, std::uint32_t tensor);
  void assign(const SnapshotIndex& index, std::uint32_t tensor, std::uint64_t& steps);

  std::uint64_t generation_ = 0;
  bool had_index_ = false;
  core::SpaceId space_ = core::kNoSpace;
  core::Address first_ = 0;
  std::uint32_t preferred_ = core::kNone32;
  std::vector<ByteOwner> owners_;
  std::vector<std::uint32_t> tensors_;
};

// The relation of one byte to one tensor.
struct ByteElements {
  std::optional<std::uint64_t> first;  // the lowest-numbered element that contains the byte
  std::optional<std::uint64_t> count;  // number of elements that do; nullopt: too many to count
  unsigned byte = 0;                   // the byte's position within the first one, from 0
  bool decided = true;                 // false: the other members mean nothing
};
[[nodiscard]] ByteElements elements_at(const SnapshotIndex& index, std::uint32_t tensor, core::Address address);

// "x[1, 2], byte 3 of 4; 99 more indices reach it", "between the elements of x", "in no listed tensor".
[[nodiscard]] std::string owner_text(const SnapshotIndex& index, const ByteOwner& owner, core::Address address);

// The focus on the byte's element; for a hole the tensor, without bytes; for nobody nothing.
[[nodiscard]] Focus focus_on_owner(const SnapshotIndex& index, const ByteOwner& owner);

}  // namespace dlscope::app
