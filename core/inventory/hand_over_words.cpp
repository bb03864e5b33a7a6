#include "core/inventory/hand_over_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {
namespace {

// Strides in bytes, in bits where one of them is not whole bytes.
std::string strides_in_words(const LayoutView& layout) {
  const bool in_bytes = std::ranges::all_of(layout.stride_bits, [](std::int64_t bits) { return bits % 8 == 0; });
  std::string text;
  for (const std::int64_t bits : layout.stride_bits)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", in_bytes ? bits / 8 : bits);
  return fmt::format("({}{}) {}", text, layout.stride_bits.size() == 1 ? "," : "", in_bytes ? "bytes" : "bits");
}

// Whether an index leads to another element; the strides of axes of one element say nothing.
bool strides_differ(const LayoutView& a, const LayoutView& b) {
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] > 1 && a.stride_bits[d] != b.stride_bits[d]) return true;
  }
  return false;
}

// Of two tensors with bytes in common.
std::string words_of_other_reading(const Snapshot& snapshot, const HandOverStep& step, const TensorRecord& from,
                                   const TensorRecord& to) {
  std::string text;
  if (!snapshot.same_dtype(from, to))
    text = fmt::format(", read as {} by the first and as {} by the second", snapshot.dtype_name(from), snapshot.dtype_name(to));
  // A part of a tensor has other strides or another shape anyway; that both are the same bytes invites a wrong conclusion.
  if (step.relation != Relation::identical || !from.has_layout || !to.has_layout) return text;
  const LayoutView a = snapshot.layout(from), b = snapshot.layout(to);
  if (!std::ranges::equal(a.shape, b.shape))
    return text + fmt::format(", but not of the same shape: {} and {}", shape_in_words(a.shape), shape_in_words(b.shape));
  if (a.item_bits == b.item_bits && strides_differ(a, b))
    text += fmt::format(", but their elements are in a different order: the strides are {} in the first and {} in the second",
                        strides_in_words(a), strides_in_words(b));
  return text;
}

// Of two tensors with no byte in common.
std::string words_of_other_tensor(const Snapshot& snapshot, const TensorRecord& from, const TensorRecord& to) {
  // With lanes, libraries disagree on what belongs to the shape.
  const bool plain_elements = from.dtype.lanes == 1 && to.dtype.lanes == 1;
  if (from.has_layout && to.has_layout && plain_elements && !std::ranges::equal(snapshot.shape(from), snapshot.shape(to)))
    return fmt::format(
        "; the shapes differ, {} and {}, and a hand-over never changes the shape: if one was made from the other, then by "
        "something "
        "else, such as an index or arithmetic",
        shape_in_words(snapshot.shape(from)), shape_in_words(snapshot.shape(to)));
  if (snapshot.same_dtype(from, to)) return {};
  return fmt::format(
      ": the first is {}, the second {}; if the second was made from the first, its values were converted, into memory of their own",
      snapshot.dtype_name(from), snapshot.dtype_name(to));
}

}  // namespace

std::string shape_in_words(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string words_of_difference(const Snapshot& snapshot, const HandOverStep& step, const TensorRecord& from,
                                const TensorRecord& to) {
  return step.shared_bytes > 0 ? words_of_other_reading(snapshot, step, from, to) : words_of_other_tensor(snapshot, from, to);
}

}  // namespace dlscope::core
