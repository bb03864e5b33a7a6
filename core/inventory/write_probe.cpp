#include "core/inventory/write_probe.h"

#include <xxhash.h>

#include <utility>

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

std::uint64_t hash_of(ByteRange range) { return XXH3_64bits(reinterpret_cast<const void*>(range.begin), range.size()); }

// Atomic accesses, because the two addresses may be the same memory, which the compiler does not know.
unsigned char load(Address address) { return __atomic_load_n(reinterpret_cast<unsigned char*>(address), __ATOMIC_SEQ_CST); }
void store(Address address, unsigned char value) {
  __atomic_store_n(reinterpret_cast<unsigned char*>(address), value, __ATOMIC_SEQ_CST);
}

ProbeResult refused(Probe probe, std::string why) { return {probe, std::move(why)}; }

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
                             const AddressMap& map) {
  const TensorRecord& a = snapshot.tensors[from];
  const TensorRecord& b = snapshot.tensors[to];
  if (step.verdict == HandOver::unknown) return refused(Probe::not_armed, "there is no verdict to probe");
  for (const TensorRecord* const tensor : {&a, &b}) {
    if (tensor->space != kHostSpace) return refused(Probe::not_armed, "the memory is not the host's");
    if (!tensor->readable) return refused(Probe::not_armed, "the memory is not known to be where its producer says");
    const bool forbidden = tensor->read_only == Tri::yes || snapshot.has_remark(*tensor, RemarkCode::immutable_by_contract);
    if (forbidden) return refused(Probe::not_writable, "one side is read-only or immutable by contract");
    if (!writable(map, tensor->extent)) return refused(Probe::not_writable, "the memory is not mapped for writing");
  }
  const std::uint64_t before_a = hash_of(a.extent), before_b = hash_of(b.extent);
  const unsigned char old = load(step.from_byte), seen_before = load(step.to_byte);
  store(step.from_byte, static_cast<unsigned char>(~old));
  const unsigned char seen = load(step.to_byte);
  store(step.from_byte, old);
  if (hash_of(a.extent) != before_a || hash_of(b.extent) != before_b)
    return refused(Probe::contradicted, "something else changed the bytes meanwhile");
  const bool showed = seen != seen_before;
  if (showed == (step.shared_bytes > 0)) return {Probe::confirmed, {}};
  return refused(Probe::contradicted, showed
                                          ? "a write through the first showed in the second, which has no byte in common with it"
                                          : "a write through the first did not show in the second");
}

}  // namespace dlscope::core
