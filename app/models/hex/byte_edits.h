// Changing bytes by hand: which tensor was armed for it, what was written, and how it is undone. Nothing here writes: a ByteWrite is asked of
// the host, which compares before and reads back after (core/memory/change_bytes.h).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

struct ByteEdit {
  std::string tensor, place;  // its name; "x[3, 7]", "byte 0x5581 2e40 4a94"
  core::Address address = 0;
  std::vector<std::byte> before, after;  // of one size
};

enum class EditKind : std::uint8_t { typed, undo, redo };

// `edit.before` is what must be there, `edit.after` what takes its place: an undo has them the other way round than the edit it undoes.
struct ByteWrite {
  std::uint32_t tensor = core::kNone32;  // of the index that is shown
  EditKind kind = EditKind::typed;
  ByteEdit edit;
};
struct ByteWriteAnswer {
  ByteWrite write;
  std::string problem;  // "": it was written, and read back
};

// What was written, the newest last, and what was undone of it.
class ByteEdits {
 public:
  static constexpr std::size_t kMost = 200;

  // What was undone can be redone no more. The oldest leaves where there are too many.
  void note(ByteEdit edit);
  [[nodiscard]] std::optional<ByteEdit> to_undo() const;  // as it is to be written
  [[nodiscard]] std::optional<ByteEdit> to_redo() const;
  void undone();
  void redone();
  void clear();
  [[nodiscard]] std::size_t undoable() const { return done_; }
  [[nodiscard]] std::size_t redoable() const { return edits_.size() - done_; }
  // Whether a byte of what was written and not undone lies there.
  [[nodiscard]] bool changed(core::Address address) const;
  [[nodiscard]] bool empty() const { return edits_.empty(); }

 private:
  std::deque<ByteEdit> edits_;
  std::size_t done_ = 0;  // of them; those behind were undone
};

// One tensor, as long as no code runs: armed again by hand after that.
struct ArmedTensor {
  std::string name;
  core::Address address = 0;
  core::ByteRange extent;
  Moment moment;
  friend bool operator==(const ArmedTensor&, const ArmedTensor&) = default;
};
[[nodiscard]] ArmedTensor armed_tensor(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment);

// Why bytes of the tensor cannot be changed at this moment, as a sentence with the way out; "" where they can.
[[nodiscard]] std::string why_not_armed(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment);

}  // namespace dlscope::app
