#include "app/models/hex/byte_edits.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/values/typed_element.h"
#include "core/elements/reverse_bytes.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/inventory/write_permission.h"
#include "core/tensor/element.h"

namespace dlscope::app {
namespace {

ByteEdit reversed(ByteEdit edit) {
  std::swap(edit.before, edit.after);
  return edit;
}

}  // namespace

void ByteEdits::note(ByteEdit edit) {
  edits_.resize(done_);
  edits_.push_back(std::move(edit));
  if (edits_.size() > kMax) edits_.pop_front();
  done_ = edits_.size();
}

std::optional<ByteEdit> ByteEdits::to_undo() const {
  return done_ == 0 ? std::nullopt : std::optional(reversed(edits_[done_ - 1]));
}

std::optional<ByteEdit> ByteEdits::to_redo() const { return redoable() == 0 ? std::nullopt : std::optional(edits_[done_]); }

void ByteEdits::undone() {
  if (done_ > 0) --done_;
}

void ByteEdits::redone() {
  if (done_ < edits_.size()) ++done_;
}

void ByteEdits::clear() {
  edits_.clear();
  done_ = 0;
}

bool ByteEdits::changed(core::Address address) const {
  for (std::size_t i = 0; i < done_; ++i) {
    if (address - edits_[i].address < edits_[i].after.size()) return true;
  }
  return false;
}

core::Result<TypedValue> with_typed(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                    std::span<const std::byte> before, std::size_t bit, std::string_view text) {
  const core::TensorNumbers numbers = core::numbers_of(snapshot, tensor);
  const core::SignBits signs = core::sign_bits_of(snapshot, tensor);
  auto typed = typed_element(numbers.dtype, text, signs);
  if (!typed) return std::unexpected(typed.error());
  if (numbers.reversed_bytes != 0) core::reverse_bytes(numbers.reversed_bytes, *typed, typed->data());
  const std::size_t width = numbers.dtype.item_bits();
  if (bit + width > before.size() * 8) return core::fail(core::ErrorKind::invalid, "the element is too long to be typed as a whole");
  TypedValue out{{before.begin(), before.end()}, {}};
  put_bits(out.after, bit, *typed, width);
  const core::Value value = core::with_sign_bits(numbers.dtype, numbers.decode(out.after, bit), signs);
  out.value = core::format_value(numbers.dtype, value);
  return out;
}

ArmedTensor armed_tensor(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment) {
  const core::TensorRecord& record = index.tensor(tensor);
  ArmedTensor out{std::string(index.snapshot->name(record)), record.address, record.extent, moment};
  out.moment.others_ran = false;
  return out;
}

std::string why_not_armed(const SnapshotIndex& index, std::uint32_t tensor, const Moment& moment) {
  const std::string name(index.snapshot->name(index.tensor(tensor)));
  if (moment.since == Since::looked_again) return kSeenThen;
  if (moment.of_file) return "The tensors of a file are only read: nothing is written into it.";
  switch (moment.since) {
    case Since::running:
      return "Code is running: bytes are changed only while Python waits, between runs or at a stop.";
    case Since::ran:
      return fmt::format("Code has run since {} was seen: scan again (Run menu) before its bytes are changed.", name);
    case Since::crashed:
      return "The process has crashed: its memory is shown, and not changed any more.";
    case Since::ended:
      return "The process has ended: there is nothing left to write into.";
    case Since::nothing:
    case Since::looked_again:
      break;
  }
  return core::why_not_writable(*index.snapshot, tensor, index.tensor(tensor).extent);
}

}  // namespace dlscope::app
