#include "app/models/hex/hex_destination.h"

#include <optional>

#include "app/models/focus/go_to.h"
#include "app/models/text/address_text.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;

HexDestination problem(std::string message) { return {.problem = std::move(message)}; }

HexDestination unknown_place(const SnapshotIndex& index, std::uint32_t id) {
  const core::TensorRecord& tensor = index.tensor(id);
  const std::string name = shortened_name(index.snapshot->name(tensor), kNameLength);
  return problem(core::is_copy_for_export(tensor)
                     ? name + " hands over a copy of its bytes, freed by now: where its own are is not known."
                     : name + " has no address that is known.");
}

// The address of element [0, ..., 0]; a tensor may have none.
HexDestination to_tensor(const SnapshotIndex& index, std::uint32_t id) {
  const core::TensorRecord& tensor = index.tensor(id);
  if (!core::has_known_address(tensor) || core::is_copy_for_export(tensor)) return unknown_place(index, id);
  return {.address = tensor.address, .space = tensor.space, .tensor = id};
}

HexDestination to_element(const SnapshotIndex* index, std::uint32_t selected, std::string_view text) {
  if (const auto address = parse_number(text)) return {.address = *address};
  if (index == nullptr) return problem("There are no tensors yet: type an address, such as 0x55812e404a80.");
  if (text.empty()) {
    if (selected >= index->size()) return problem("Select a tensor first, or type an address in front of the distance.");
    return to_tensor(*index, selected);
  }
  const Destination to = go_to(*index, selected, text);
  if (!to.problem.empty()) return problem(to.problem);
  if (!to.focus.element) return to_tensor(*index, to.focus.tensor);
  if (core::is_copy_for_export(index->tensor(to.focus.tensor))) return unknown_place(*index, to.focus.tensor);
  return {.address = to.focus.bytes.begin, .space = to.focus.space, .tensor = to.focus.tensor};
}

// The last sign outside of brackets. A minus at the very beginning belongs to an index.
std::size_t find_sign(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == ']' || c == ')') ++depth;
    if (c == '[' || c == '(') --depth;
    if (depth == 0 && (c == '+' || (c == '-' && i > 0))) return i;
  }
  return std::string_view::npos;
}

}  // namespace

HexDestination hex_destination(const SnapshotIndex* index, std::uint32_t selected, std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return problem("Type an address, a name or an index.");
  HexDestination whole = to_element(index, selected, text);  // a name may contain a sign
  const std::size_t sign = find_sign(text);
  if (whole.problem.empty() || sign == std::string_view::npos) return whole;
  const auto distance = parse_number(trimmed(text.substr(sign + 1)));
  if (!distance) return whole;
  HexDestination to = to_element(index, selected, trimmed(text.substr(0, sign)));
  if (!to.problem.empty()) return to;
  const bool beyond = text[sign] == '+' ? __builtin_add_overflow(to.address, *distance, &to.address)
                                        : __builtin_sub_overflow(to.address, *distance, &to.address);
  return beyond ? problem("That is outside the address space.") : to;
}

}  // namespace dlscope::app
