#include <fmt/format.h>

#include <algorithm>

#include "core/inventory/write_permission.h"
#include "core/memory/address_map.h"
#include "core/memory/change_bytes.h"
#include "embed/host/acts.h"
#include "embed/host/found_tensor.h"
#include "embed/runtime.h"
#include "embed/tensors/memory_of_others.h"

namespace dlscope::embed {
namespace {

using core::ErrorKind;
using core::fail;

// What the object says of itself now, which may be more than when it was looked at: setflags(write=False).
bool says_no(const Description& description) {
  const auto immutable = [](const core::Remark& remark) { return remark.code == core::RemarkCode::immutable_by_contract; };
  return description.desc.read_only == core::Tri::yes || description.desc.protocol == core::Protocol::attributes ||
         std::ranges::any_of(description.remarks, immutable) ||
         std::ranges::any_of(description.desc.remarks, immutable);
}

// What is written there is written into a file that others can see. Pages shared with children only have a deleted one.
bool is_of_file(const core::Mapping& mapping) {
  return mapping.shared && !mapping.path.empty() && !mapping.path.ends_with(" (deleted)");
}

}  // namespace

// The object is held meanwhile, and no other Python runs: the memory is the tensor's own from the check to the last byte.
core::Result<ActDone> carry_out(const core::wire::WriteBytes& work, const ActContext& context) {
  const std::uint32_t id = work.tensor.tensor;
  const core::ByteRange range{work.address, work.address + work.bytes.size()};
  if (const std::string why = core::why_not_writable(context.snapshot, id, range); !why.empty())
    return fail(ErrorKind::unsupported, why);
  const ScanPlace place = ScanPlace::of_program(context.names);
  TensorFinder finder(place);
  const FoundTensor found = finder.find(context.snapshot, id);
  if (PyErr_Occurred() != nullptr) return fail(ErrorKind::cancelled, "interrupted");
  if (!found.object) return fail(ErrorKind::not_found, look_again_text(found.why_not));
  const std::string name(context.snapshot.name(context.snapshot.tensors[id]));
  if (says_no(found.description))
    return fail(ErrorKind::unsupported, fmt::format("{} must not be written now: it is read-only or copy-on-write.", name));
  const core::NeverWritten::Owner owner = owner_of_others_memory(found.object.get());
  if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
  if (owner.immutable) return fail(ErrorKind::unsupported, fmt::format("{} is not written: {}.", name, owner.why));
  const auto map = core::AddressMap::load(0);
  if (!map) return std::unexpected(map.error());
  auto now = core::change_bytes(Runtime::get().reader(), *map, work.address, work.expected, work.bytes);
  if (!now) return std::unexpected(now.error());
  std::string message = fmt::format("{}: {} at 0x{:x} became {}", name, core::hex_description(work.expected), work.address,
                                    core::hex_description(*now));
  if (const core::Mapping* const mapping = map->find(work.address); is_of_file(*mapping))
    message += fmt::format("; it is a shared mapping of {}, which has changed with it", mapping->path);
  if (!owner.why.empty()) message += fmt::format("; whether its owner lets it be changed is not known: {}", owner.why);
  Runtime::get().note(core::EventKind::write, message);
  return ActDone{std::move(message), core::wire::BytesWritten{std::move(*now)}};
}

}  // namespace dlscope::embed
