#include "core/inventory/write_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/memory/change_bytes.h"
#include "core/memory/file_mapping.h"
#include "core/memory/process_pages.h"
#include "core/sharing/overlap.h"

namespace dlscope::core {
namespace {

// Whether every page of the range may be written.
bool writable(const AddressMap& map, ByteRange range) {
  for (Address at = range.begin; at < range.end;) {
    const Mapping* const mapping = map.find(at);
    if (mapping == nullptr || !mapping->read || !mapping->write) return false;
    at = mapping->range.end;
  }
  return true;
}

// The bytes of the element that contains `address`, at most kWindow to either side. Gaps between the elements may be another
// tensor's, which another thread may be writing.
ByteRange element_around(const Snapshot& snapshot, const TensorRecord& tensor, Address address) {
  constexpr Address kWindow = 64;
  const auto flat = element_at(snapshot.memory_view(tensor), address);
  if (!flat) return {address, address + 1};
  const Address begin = tensor.address + static_cast<Address>(bit_offset_of(snapshot.layout(tensor), *flat) >> 3);
  const Address end = begin + (tensor.item_bits + 7) / 8;
  return {std::max(begin, address - std::min(address, kWindow)), std::max(std::min(end, address + kWindow), address + 1)};
}

std::uint64_t hash_of(ByteRange range) { return XXH3_64bits(reinterpret_cast<const void*>(range.begin), range.size()); }

// Atomic accesses, because the two addresses may be the same memory, which the compiler does not know.
unsigned char load(Address address) { return __atomic_load_n(reinterpret_cast<unsigned char*>(address), __ATOMIC_SEQ_CST); }
// False, with nothing written: the byte is not `expected`.
bool replace(Address address, unsigned char expected, unsigned char value) {
  return __atomic_compare_exchange_n(reinterpret_cast<unsigned char*>(address), &expected, value, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// Why it is not told which pages are in memory. "": it is, of one that is there because it has just been written.
std::string why_pages_not_told() {
  volatile unsigned char here = 1;
  const auto at = reinterpret_cast<Address>(&here);
  if (ProcessPages(0).present({at, at + 1})) return {};
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const std::string why = file < 0 ? std::strerror(errno) : "it does not tell on this system";
  if (file >= 0) ::close(file);
  return fmt::format("which pages are in memory cannot be read (/proc/self/pagemap: {}): a look could wait for ever", why);
}

// Libraries whose tensors may be written by contract, also where a legacy capsule cannot say so.
bool is_mutable_library(std::string_view library) {
  static constexpr std::string_view kMutable[] = {"numpy", "torch", "paddle", "cupy", "dpnp", "dpctl"};
  return std::ranges::find(kMutable, library) != std::end(kMutable);
}

ProbeResult refused(Probe probe, std::string why, std::optional<ProbeHashes> hashes = {}) {
  return {probe, std::move(why), hashes};
}

// Why the byte to be written is left alone, although the tensors of the step may be written; without a reason: it is not.
ProbeResult why_left_alone(const AddressMap& map, std::span<const NeverWritten> never, Address address) {
  for (const NeverWritten& tensors : never) {
    NeverWritten::Owner owner = tensors.owner_of(address);
    if (!owner.why.empty()) return refused(owner.immutable ? Probe::not_writable : Probe::not_armed, std::move(owner.why));
  }
  const Mapping* const mapping = map.find(address);
  if (mapping != nullptr && mapping->device != 0 && !mapping->shared && may_be_file_page(address))
    return refused(Probe::not_armed,
                   fmt::format("the byte lies in a private mapping of {}: a write would detach its page from the file for good",
                               mapping->path));
  return {};
}

// Whether the byte is one of a tensor that may be written and is known to own it.
bool has_writable_owner(const Snapshot& snapshot, const ProbeLimits& limits, Address address) {
  for (std::size_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& tensor = snapshot.tensors[id];
    const bool owns = id < limits.shown.size() && limits.shown[id].why.empty() && limits.shown[id].is_known;
    const bool forbids = tensor.read_only == Tri::yes || is_immutable(snapshot, tensor) || is_copy_put_off(tensor);
    if (owns && tensor.space == kHostSpace && !forbids && tensor.extent.contains(address))
      return true;
  }
  if (limits.known == nullptr) return false;
  return std::ranges::any_of(limits.known->tensors, [&](const TensorRecord& tensor) {
    if (tensor.space != kHostSpace || tensor.read_only != Tri::no || is_immutable(*limits.known, tensor)) return false;
    const auto allocation = limits.known->allocation_of(tensor);  // a storage of PyTorch's may be over memory of any kind
    return allocation && allocation->source != AllocationSource::storage && allocation->range.contains(address);
  });
}

// Why the byte is left alone for its owner's sake; without a reason: it is not.
ProbeResult why_owner_forbids(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to, const HandOverStep& step,
                              const ProbeLimits& limits) {
  const auto shown = [&](std::uint32_t tensor) {
    return tensor < limits.shown.size() ? limits.shown[tensor] : NeverWritten::Owner{};
  };
  for (const std::uint32_t tensor : {from, to}) {
    const bool is_written = tensor == from || step.shared_bytes > 0;
    if (is_written && shown(tensor).immutable) return refused(Probe::not_writable, shown(tensor).why);
  }
  std::string why = shown(from).why;
  // Where it does not tell whose memory it shows, another tensor may; ours over it knows no more than it.
  for (std::uint32_t id = 0; why.empty() && !shown(from).is_known && id < limits.shown.size(); ++id) {
    const TensorRecord& other = snapshot.tensors[id];
    if (other.space == kHostSpace && other.extent.contains(step.from_byte) && snapshot.str(other.library) != "dlscope")
      why = limits.shown[id].why;
  }
  if (why.empty() || has_writable_owner(snapshot, limits, step.from_byte)) return {};
  return refused(Probe::not_armed, std::move(why));
}

// What a write to the byte changes for good: "" for memory that is no file's.
std::string trace_of_write(const AddressMap& map, Address address) {
  const Mapping* const mapping = map.find(address);
  if (mapping == nullptr || !mapping->shared || !is_mapped_from_disk(*mapping)) return {};
  return fmt::format("the byte lies in the mapped file {}, whose modification time a write changes", mapping->path);
}

}  // namespace

const char* probe_name(Probe probe) {
  static constexpr const char* kNames[] = {"not_armed", "confirmed", "contradicted", "not_writable"};
  return kNames[static_cast<std::size_t>(probe)];
}

const char* writability_text(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (snapshot.has_remark(tensor, RemarkCode::immutable_by_contract)) return "immutable by contract";
  if (tensor.read_only == Tri::yes) return "no";
  return tensor.read_only == Tri::no ? "yes" : "unknown";
}

ProbeResult probe_by_writing(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to, const HandOverStep& step,
                             const AddressMap& map, const ProbeLimits& limits) {
  const TensorRecord& a = snapshot.tensors[from];
  const TensorRecord& b = snapshot.tensors[to];
  if (step.verdict == HandOver::unknown) return refused(Probe::not_armed, "there is no verdict to probe");
  for (const TensorRecord* const tensor : {&a, &b}) {
    if (tensor->space != kHostSpace) return refused(Probe::not_armed, "the memory is not the host's");
    if (!tensor->readable) return refused(Probe::not_armed, "the memory is not known to be where its producer says");
    const bool forbidden = tensor->read_only == Tri::yes || snapshot.has_remark(*tensor, RemarkCode::immutable_by_contract);
    if (forbidden) return refused(Probe::not_writable, "one side is read-only or immutable by contract");
    if (is_copy_put_off(*tensor))
      return refused(Probe::not_writable, "a write through PyTorch would make the copy that copy-on-write has put off");
    if (tensor->read_only == Tri::unknown && !is_mutable_library(snapshot.str(tensor->library)))
      return refused(Probe::not_writable, "one side does not say whether it may be written, nor does its library");
    if (!writable(map, tensor->extent)) return refused(Probe::not_writable, "the memory is not mapped for writing");
  }
  if (ProbeResult alone = why_left_alone(map, limits.never, step.from_byte); !alone.why.empty()) return alone;
  if (ProbeResult alone = why_owner_forbids(snapshot, from, to, step, limits); !alone.why.empty()) return alone;
  const ByteRange in_a = element_around(snapshot, a, step.from_byte), in_b = element_around(snapshot, b, step.to_byte);
  for (const ByteRange range : {in_a, in_b}) {
    // The loads below have no time limit: whoever arms the probe has waited for the pages (the caller of prove()).
    if (ProcessPages(0).present(range)) continue;
    if (std::string why = why_pages_not_told(); !why.empty()) return refused(Probe::not_armed, std::move(why));
    return refused(Probe::not_armed, fmt::format("the memory does not answer at {:#x}: a page of the element does not come",
                                                 range.begin));
  }
  // Nor has a write one: of a page that userfaultfd protects, or of a file.
  if (prepare_for_writing({step.from_byte, step.from_byte + 1}) == Prepared::no_answer)
    return refused(Probe::not_armed,
                   fmt::format("the memory does not answer a write at {:#x}: its page is protected by userfaultfd, or its file "
                               "system does not come to it",
                               step.from_byte));
  ProbeHashes hashes{.from_before = hash_of(in_a), .to_before = hash_of(in_b)};
  const unsigned char old = load(step.from_byte), seen_before = load(step.to_byte);
  const auto changed = static_cast<unsigned char>(~old);
  const bool was_written = replace(step.from_byte, old, changed);
  const unsigned char seen = load(step.to_byte);
  const bool was_restored = was_written && replace(step.from_byte, changed, old);  // else it holds what another thread wrote
  hashes.from_after = hash_of(in_a);
  hashes.to_after = hash_of(in_b);
  if (!was_restored || hashes.from_after != hashes.from_before || hashes.to_after != hashes.to_before)
    return refused(Probe::not_armed, "another thread changed the bytes meanwhile, so what it saw decides nothing", hashes);
  const bool showed = seen != seen_before;
  if (showed == (step.shared_bytes > 0)) return {Probe::confirmed, trace_of_write(map, step.from_byte), hashes};
  return refused(Probe::contradicted,
                 showed ? "a write through the first showed in the second, which has no byte in common with it"
                        : "a write through the first did not show in the second",
                 hashes);
}

}  // namespace dlscope::core
