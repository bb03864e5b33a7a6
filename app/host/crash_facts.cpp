#include "app/host/crash_facts.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "app/host/native_names.h"
#include "core/inventory/fault_place.h"
#include "core/memory/address_map.h"

namespace dlscope::app {
namespace {

using core::AddressMap;
using core::CrashFacts;
using core::wire::CrashRecord;

// Why the memory at the fault address cannot be accessed, as far as the address map tells.
std::string memory_text(const AddressMap& map, const CrashFacts& facts, int signal) {
  const core::Mapping* mapping = map.find(*facts.address);
  if (mapping == nullptr) return "no memory is mapped there";
  const bool is_file = mapping->path.starts_with('/') && !mapping->path.ends_with("(deleted)");
  const std::string of = is_file ? " (" + mapping->path + ")" : std::string();
  if (!mapping->read && !mapping->write) return "nothing may be read or written there" + of;
  if (facts.access == CrashFacts::Access::write && !mapping->write) return "nothing may be written there, only read" + of;
  if (signal == SIGBUS && mapping->path.starts_with('/'))
    return "it is a page of " + mapping->path + " that could not be loaded: the file may have become shorter";
  return {};
}

CrashFacts::NativeFrame native_frame(const std::optional<AddressMap>& map, core::Address address) {
  const core::Mapping* mapping = map ? map->find(address) : nullptr;
  if (mapping == nullptr || mapping->path.empty()) return {{}, address, {}};
  return {mapping->path, address - mapping->range.begin + mapping->file_offset, {}};
}

}  // namespace

CrashFacts crash_facts(pid_t pid, std::chrono::system_clock::time_point host_start, const CrashRecord& record) {
  auto loaded = AddressMap::load(pid);
  const std::optional<AddressMap> map = loaded ? std::optional(std::move(*loaded)) : std::nullopt;
  CrashFacts facts;
  if (record.has_address == 1) facts.address = record.fault_address;
  if (record.access == CrashRecord::read) facts.access = CrashFacts::Access::read;
  if (record.access == CrashRecord::write) facts.access = CrashFacts::Access::write;
  if (map && facts.address) facts.memory = memory_text(*map, facts, record.signal);
  const std::size_t frames =
      std::min<std::size_t>(record.native_frames.load(std::memory_order_acquire), CrashRecord::kMaxNativeFrames);
  std::vector<core::Address> addresses(record.native_stack, record.native_stack + frames);
  for (const core::Address address : addresses) facts.native.push_back(native_frame(map, address));
  if (map) name_native_frames(pid, *map, host_start, addresses, facts.native);
  return facts;
}

std::string crash_place(const CrashFacts& facts, const core::Snapshot* snapshot, bool in_this_run, pid_t pid) {
  if (!facts.address) return {};
  if (snapshot == nullptr || snapshot->tensors.empty())
    return "Which tensor it is near is not known: no snapshot was taken before. After a stop or dlscope.report() it can be told.";
  const auto map = AddressMap::load(pid);
  const core::FaultPlace place = core::place_of_fault(*snapshot, *facts.address, map ? &*map : nullptr);
  std::string out = in_this_run ? "In the last snapshot, taken in this run, the address lies "
                                : "In the last snapshot, taken before this run, the address lies ";
  out += core::fault_place_text(*snapshot, place);
  const bool freed = place.side == core::FaultSide::inside && map && map->find(*facts.address) == nullptr;
  return out + (freed ? ", whose memory was given back since." : ".");
}

}  // namespace dlscope::app
