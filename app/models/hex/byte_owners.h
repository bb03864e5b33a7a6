// ByteOwners: for each byte of some neighbouring ones, which element of which tensor it is a part of. Decided on the bytes that elements
// really touch, not on extents: what lies between them is a hole.
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
    nobody,     // beside all tensors
    element,
    hole,       // between the first and the last byte of `tensor`, and no element's
    undecided,  // finding out takes more work than a frame allows
  };
  Kind kind = Kind::nobody;
  bool begins = false;                    // the element's first bit lies in this byte
  std::uint32_t tensor = core::kNone32;   // but for nobody
  std::uint64_t element = 0;              // the lowest-numbered one, in C order
  friend bool operator==(const ByteOwner&, const ByteOwner&) = default;
};

class ByteOwners {
 public:
  static constexpr std::size_t kMostTensors = 64;  // over the same bytes; those beyond are not looked at

  // Of `count` bytes from `first` on, not beyond the last address. Where several tensors hold a byte `preferred` is named, else the
  // first of the memory map. Does nothing where the same is asked again. index: may be null; `generation` tells one from another.
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

// All that there is to say about one byte and one tensor.
struct ByteElements {
  std::optional<std::uint64_t> first;  // the lowest-numbered element that contains the byte
  std::optional<std::uint64_t> count;  // how many elements do; nullopt: more than could be counted
  unsigned byte = 0;                   // which of the first one's bytes it is, from 0
  bool decided = true;                 // false: not found out; nothing else means anything
};
[[nodiscard]] ByteElements elements_at(const SnapshotIndex& index, std::uint32_t tensor, core::Address address);

// "x[1, 2], byte 3 of 4; 99 more indices reach it", "between the elements of x", "no listed tensor's".
[[nodiscard]] std::string owner_text(const SnapshotIndex& index, const ByteOwner& owner, core::Address address);

// The focus on a byte's element; of a hole on the tensor, without bytes; of nobody's on nothing.
[[nodiscard]] Focus focus_on_owner(const SnapshotIndex& index, const ByteOwner& owner);

}  // namespace dlscope::app
