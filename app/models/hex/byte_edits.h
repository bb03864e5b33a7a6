// Changing bytes by hand: the armed tensor, the edits, undo and redo. Nothing is written here: a ByteWrite is sent to the host,
// which compares before and reads back after (core/memory/change_bytes.h).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "core/base/result.h"

namespace dlscope::app {

struct ByteEdit {
  std::string tensor, place;  // its name; "x[3, 7]", "byte 0x5581 2e40 4a94"
  core::Address address = 0;
  std::vector<std::byte> before, after;  // of equal size
};

enum class EditKind : std::uint8_t { typed, undo, redo };

// `edit.before` must be in memory now, `edit.after` replaces it. So an undo has the two swapped.
struct ByteWrite {
  std::uint32_t tensor = core::kNone32;  // in the shown index
  EditKind kind = EditKind::typed;
  ByteEdit edit;
};
struct ByteWriteAnswer {
  ByteWrite write;
  std::string problem;  // "": it was written and read back
};

// The edits, the newest last; some of the last ones may be undone.
class ByteEdits {
 public:
  static constexpr std::size_t kMax = 200;

  // Adds an edit; undone ones can no longer be redone. The oldest is removed when there are too many.
  void note(ByteEdit edit);
  [[nodiscard]] std::optional<ByteEdit> to_undo() const;  // as it is to be written; nullopt: nothing to undo
  [[nodiscard]] std::optional<ByteEdit> to_redo() const;
  void undone();
  void redone();
  void clear();
  [[nodiscard]] std::size_t undoable() const { return done_; }
  [[nodiscard]] std::size_t redoable() const { return edits_.size() - done_; }
  // Whether an edit that is not undone has written the byte at this address.
  [[nodiscard]] bool changed(core::Address address) const;
  [[nodiscard]] bool empty() const { return edits_.empty(); }

 private:
  std::deque<ByteEdit> edits_;
  std::size_t done_ = 0;  // how many of them are in effect; the rest are undone
};

// An element with a typed value in it, and that value as it reads there.
struct TypedValue {
  std::vector<std::byte> after;
  std::string value;
};
// before: the bytes of an element of the tensor, which begins `bit` bits into them. text: as typed_element() has it; a number and bits
// (0x…) alike are put there in the byte order of the tensor's numbers. Fails with a message.
[[nodiscard]] core::Result<TypedValue> with_typed(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                  std::span<const std::byte> before, std::size_t bit, std::string_view text);

// The tensor whose bytes may be changed, as long as no code runs: after that it has to be armed again.
struct ArmedTensor {
  std::string name;
  core::Address address = 0;
  core::ByteRange extent;
  Moment moment;  // without others_ran: other threads do not end it
  friend bool operator==(const ArmedTensor&, const ArmedTensor&) = default;
};
[[nodiscard]] ArmedTensor armed_tensor(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment);

// Why the tensor's bytes cannot be changed now, as a sentence with what would help; "": they can.
[[nodiscard]] std::string why_not_armed(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment);

}  // namespace dlscope::app
