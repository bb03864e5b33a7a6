#include "embed/host/copy_reason.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/tensor/device_id.h"

namespace dlscope::embed {
namespace {

using core::TensorRecord;

constexpr core::Address kJaxAlignment = 64, kLeastJaxAlignment = 16;  // of some builds

bool is_jax(std::string_view library) { return library == "jax" || library == "jaxlib"; }

bool is_half_as_wide(core::DType from, core::DType to) {
  return from.code == to.code && from.lanes == to.lanes && from.item_bits() == 2 * to.item_bits();
}

std::string of_dtype(const core::Snapshot& described, std::string_view library) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  const std::string before = described.dtype_name(from), after = described.dtype_name(to);
  const bool is_64_bits_wide = from.dtype.bits == 64 || (from.dtype.bits == 128 && is_half_as_wide(from.dtype, to.dtype));
  if (is_jax(library) && is_64_bits_wide && is_half_as_wide(from.dtype, to.dtype))
    return fmt::format(
        "JAX keeps {} as {} while jax_enable_x64 is off, and converted values need memory of their own", before, after);
  return fmt::format("the library converted {} to {}, and converted values need memory of their own", before, after);
}

// Each byte of the extent belongs to one element, and the first one lies lowest: others JAX refuses, whatever their address.
bool is_compact(const core::Snapshot& described, const TensorRecord& tensor) {
  const core::LayoutView layout = described.layout(tensor);
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1 && layout.stride_bits[d] <= 0) return false;
  }
  return tensor.has_layout && tensor.extent.size() == tensor.nbytes;
}

// Why JAX copied on the CPU; "": its rule about addresses does not say.
std::string of_address(const core::Snapshot& described, const TensorRecord& from) {
  const core::Address past = from.address % kJaxAlignment;
  if (past == 0 || !is_compact(described, from)) return {};
  if (past % kLeastJaxAlignment != 0)
    return fmt::format(
        "on the CPU JAX shares only memory whose address is a multiple of {} (in some builds of 16 or 32): this address is {} "
        "more than such a multiple",
        kJaxAlignment, past);
  return fmt::format(
      "it may be because of the address, which is {} more than a multiple of {}: on the CPU most builds of JAX share only memory at "
      "such multiples (some at those of 16 or 32)",
      past, kJaxAlignment);
}

// Why it could not be shared, whatever was asked for; "": no known rule says so.
std::string why_needed(const CopyMade& made) {
  const TensorRecord &from = made.described.tensors[0], &to = made.described.tensors[1];
  if (from.device != to.device)
    return fmt::format("it was moved from {} to {}, into memory there", core::device_name(from.device),
                       core::device_name(to.device));
  if (!made.described.same_dtype(from, to)) return of_dtype(made.described, made.library);
  return is_jax(made.library) && from.device == core::kCpuDevice ? of_address(made.described, from) : std::string();
}

}  // namespace

std::string why_copied(const CopyMade& made) {
  const bool was_asked_for = made.asked == core::wire::CopyPolicy::always;
  if (made.by_dlscope && !was_asked_for) return "dlscope itself copied it on the way; the ledger says why";
  const std::string needed = why_needed(made);
  if (!was_asked_for && !needed.empty()) return needed;
  // A library may not look at what it was asked for: JAX on the CPU copies for these reasons only.
  if (was_asked_for)
    return fmt::format("a copy was asked for (copy=True){}{}", needed.empty() || made.by_dlscope ? "" : "; without that, too: ",
                       made.by_dlscope ? "" : needed);
  return fmt::format("no byte is in common; why {} copied it is not known to dlscope", made.library);
}

}  // namespace dlscope::embed
