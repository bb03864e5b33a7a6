// SnapshotBuilder::analyse: derives facts from the records and the process's memory. Runs on a worker, without Python.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/inventory/snapshot_builder.h"
#include "core/inventory/unchanged_tensors.h"
#include "core/memory/file_mapping.h"
#include "core/memory/page_aliases.h"
#include "core/sharing/contiguity.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kPage = 4096;  // the smallest page size; readability never changes inside a page
constexpr std::uint64_t kMaxAlignment = 4096;
constexpr std::uint32_t kTensorsPerLook = 4096;  // whether to stop; so many take some milliseconds

std::uint16_t alignment_of(Address address) {
  if (address == 0) return 0;
  return static_cast<std::uint16_t>(std::min(address & (~address + 1), kMaxAlignment));
}

// The place of code as tools write it: the file, and the offset from the address at which the file's first byte is mapped.
struct CodePlace {
  std::string_view path;
  std::uint64_t offset = 0;
};

CodePlace place_of(const AddressMap& map, Address address) {
  const Mapping* const mapping = map.find(address);
  if (mapping == nullptr) return {};
  const std::vector<Mapping>& all = map.mappings();
  for (auto i = static_cast<std::size_t>(mapping - all.data());; --i) {
    if (all[i].path != mapping->path || all[i].path.empty()) break;
    if (all[i].file_offset == 0) return {mapping->path, address - all[i].range.begin};
    if (i == 0) break;
  }
  return {mapping->path, address - mapping->range.begin + mapping->file_offset};
}

// The contradiction when a tensor claims to lie on a GPU whose driver this process has not loaded, but its address is mapped host
// memory; else "". With the driver loaded the address map proves nothing, because managed memory is mapped, too.
std::string why_not_on_device(const TensorRecord& tensor, const AddressMap& map) {
  constexpr std::int32_t kCuda = 2, kRocm = 10;
  if (tensor.device.type != kCuda && tensor.device.type != kRocm) return {};
  const std::string_view driver = tensor.device.type == kCuda ? "libcuda.so" : "libamdhip64.so";
  const Mapping* const mapping = map.find(tensor.address);
  if (mapping == nullptr || !mapping->read || mapping->path.starts_with("/dev/")) return {};
  const auto is_driver = [&](const Mapping& each) { return each.path.find(driver) != each.path.npos; };
  if (std::ranges::any_of(map.mappings(), is_driver)) return {};
  return fmt::format(
      "the capsule says {}, but no driver of such a device is loaded ({}) and the address {:#x} lies in the process's own "
      "memory{}{}",
      device_name(tensor.device), driver, tensor.address, mapping->path.empty() ? "" : ": ", mapping->path);
}

// Whether memory of a device is also the host's, at the same addresses, although its device type does not say so. SYCL has three
// kinds of memory, of which "host" and "shared" are; DLPack has one type (14) for all three.
bool is_mapped_here(const TensorRecord& tensor, DeviceId device, const AddressMap* map) {
  constexpr std::int32_t kOneApi = 14;
  return device.type == kOneApi && map != nullptr && !tensor.extent.empty() && map->readable(tensor.extent);
}

// A mapped file costs addresses rather than memory, also where a library calls the mapping its storage: how much of it is used is
// left unknown. What is named in /dev (shared memory) and memfds are memory.
void forget_files(const AddressMap& map, std::vector<AllocationRecord>& allocations) {
  for (AllocationRecord& allocation : allocations) {
    const Mapping* const mapping = map.find(allocation.range.begin);
    if (mapping != nullptr && is_mapped_from_disk(*mapping)) allocation.used_bytes = kUnknown64;
  }
}

using Probed = MemoryReader::Probed;

// The pages that contain an end of an extent, each listed once.
class EndPages {
 public:
  std::uint32_t add(Address address) {
    const Address page = address / kPage;
    if (page == last_page_) return last_index_;
    const auto [entry, added] = indices_.try_emplace(page, static_cast<std::uint32_t>(addresses_.size()));
    if (added) addresses_.push_back(address);
    last_page_ = page;
    last_index_ = entry->second;
    return last_index_;
  }
  [[nodiscard]] std::vector<Probed> probe(const MemoryReader& reader) const {
    std::vector<Probed> found(addresses_.size());
    reader.probe_each(addresses_, found);
    return found;
  }

 private:
  std::unordered_map<Address, std::uint32_t> indices_;
  std::vector<Address> addresses_;
  Address last_page_ = ~Address{0};
  std::uint32_t last_index_ = 0;
};

}  // namespace

void SnapshotBuilder::analyse(const AnalyseOptions& options) {
  unreadable_.assign(snapshot_->tensors.size(), 0);
  if (options.cuda != nullptr) ask_driver(options);
  assign_spaces(options);
  check_readable(options);
  if (options.map != nullptr) find_page_aliases(*options.map);
  const bool is_worth_a_search = options.earlier != nullptr && options.earlier->tensors.size() / 4 <= snapshot_->tensors.size();
  if (is_worth_a_search) unchanged_ = find_unchanged(*options.earlier, *snapshot_, options.sharing.budget.stop);
  measure(options);
  resolve_deleters(options);
  find_groups_and_pairs(options);
  if (is_complete_ && snapshot_->info.open_groups == UnknownWhy::none) {
    measure_allocations();
    if (options.map != nullptr) forget_files(*options.map, snapshot_->allocations);
    note_kept_alive();
  }
  if (options.statistics != StatisticsMethod::none && options.reader != nullptr) summarise_values(options);
}

// All kinds of host memory are one space; every other device has a space of its own; handles have none. If the driver contradicts
// the producer, the driver is believed.
void SnapshotBuilder::assign_spaces(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  std::unordered_map<std::uint64_t, SpaceId> known;
  for (TensorRecord& t : s.tensors) {
    const DriverDeviceRecord* const told = s.driver_device_of(t);
    const DeviceId device = told != nullptr ? told->device : t.device;
    const DeviceMemory memory = device_memory(device);
    if (!t.has_metadata || memory == DeviceMemory::handle) continue;
    if (memory == DeviceMemory::host || is_mapped_here(t, device, options.map)) {
      t.space = kHostSpace;
      continue;
    }
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(device.type)} << 32 | static_cast<std::uint32_t>(device.id);
    if (const auto found = known.find(key); found != known.end()) {
      t.space = found->second;
    } else if (s.spaces.size() <= std::numeric_limits<SpaceId>::max()) {
      t.space = static_cast<SpaceId>(s.spaces.size());
      s.spaces.push_back({device, intern(device_name(device))});
      known.emplace(key, t.space);
    }
  }
}

// The map must grant reading of the whole extent, and its two ends are
// actually read, because a mapping may extend beyond its file's end.
void SnapshotBuilder::check_readable(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  struct Ends {
    std::uint32_t tensor, first, last;
  };
  std::vector<Ends> to_probe;
  EndPages pages;
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    TensorRecord& t = s.tensors[id];
    if (!t.has_layout) continue;
    if (t.elements == 0) {
      t.readable = true;
    } else if (is_copy_for_export(t) && !options.exports_are_held) {
      continue;  // the copy is gone: other memory may be at its address by now
    } else if (t.data == 0 && t.space != kNoSpace) {
      unreadable_[id] = 1;
      if (!s.has_remark(t, RemarkCode::data_null)) {
        add_remark(id, RemarkCode::data_null, fmt::format("data is NULL, but the shape has {} elements", t.elements));
      }
    } else if (!contradicted_by_driver_.empty() && contradicted_by_driver_[id] != 0) {
      if (s.driver_device_of(t) == nullptr) unreadable_[id] = 1;  // the driver does not know this memory
    } else if (t.space != kHostSpace || device_memory(t.device) != DeviceMemory::host) {  // a read would migrate managed memory
      const std::string lie = options.map != nullptr ? why_not_on_device(t, *options.map) : std::string();
      if (!lie.empty()) add_remark(id, RemarkCode::device_mismatch, lie);
      // Where the memory lies elsewhere than told, "device memory" would be the same wrong word once more.
      if (t.space != kNoSpace && lie.empty() && !s.has_remark(t, RemarkCode::device_mismatch) &&
          !s.has_remark(t, RemarkCode::device_memory_not_read)) {
        add_remark(id, RemarkCode::device_memory_not_read, "the bytes lie in device memory; a scan reads none of them");
      }
    } else if (options.map == nullptr && !options.map_problem.empty()) {
      unreadable_[id] = 1;
      is_map_missed_ = true;
      add_remark(id, RemarkCode::extent_unreadable,
                 fmt::format("which memory is there and which is shared is not known: {}", options.map_problem));
    } else if (options.map != nullptr && !options.map->readable(t.extent)) {
      unreadable_[id] = 1;
      add_remark(id, RemarkCode::extent_unreadable,
                 fmt::format("bytes {:#x} to {:#x} are not all mapped for reading", t.extent.begin, t.extent.end));
    } else if (options.map != nullptr && options.reader != nullptr) {
      to_probe.push_back({id, pages.add(t.extent.begin), pages.add(t.extent.end - 1)});
    }
  }
  if (to_probe.empty()) return;
  const std::vector<Probed> found = pages.probe(*options.reader);
  for (const Ends& ends : to_probe) note_probed(ends.tensor, found[ends.first], found[ends.last]);
}

// What reading its first and its last byte has shown. A tensor whose bytes were not asked for is compared with others all the
// same: the map grants its extent.
void SnapshotBuilder::note_probed(std::uint32_t id, MemoryReader::Probed first, MemoryReader::Probed last) {
  TensorRecord& t = snapshot_->tensors[id];
  t.readable = first == Probed::readable && last == Probed::readable;
  if (t.readable) return;
  const auto failed = [](Probed probed) { return probed == Probed::unreadable || probed == Probed::hung; };
  const bool is_first = failed(first);
  if (!is_first && !failed(last)) {
    return add_remark(id, RemarkCode::not_probed, "not checked whether it can be read: other memory does not answer");
  }
  const Probed why = is_first ? first : last;
  unreadable_[id] = 1;
  const bool silent = why == Probed::hung;
  add_remark(id, RemarkCode::extent_unreadable,
             fmt::format("the map grants bytes {:#x} to {:#x}, but {}the {} one {}", t.extent.begin, t.extent.end,
                         silent ? "" : "reading ", is_first ? "first" : "last",
                         silent ? "does not come: the memory does not answer" : "failed"));
}

// Where a tensor lies only partly in pages that are mapped more than once, its addresses are all that is compared, and so those of the
// others in these mappings.
void SnapshotBuilder::find_page_aliases(const AddressMap& map) {
  Snapshot& s = *snapshot_;
  PageAliases aliases(map);
  if (aliases.empty()) return;
  const auto has_bytes_here = [&](std::uint32_t id) {
    const TensorRecord& t = s.tensors[id];
    return t.space == kHostSpace && unreadable_[id] == 0 && has_bytes_at_address(t);
  };
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    if (has_bytes_here(id) && aliases.splits(s.tensors[id].extent)) aliases.forget(s.tensors[id].extent);
  }
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    if (!has_bytes_here(id)) continue;
    TensorRecord& t = s.tensors[id];
    t.page_shift = aliases.shift_of(t.extent);
    if (t.page_shift == 0) continue;
    any_aliased_ = true;
    const Address other = aliases.other_address(t.extent);
    if (other != 0) add_remark(id, RemarkCode::mapped_again, fmt::format("the page at {:#x} is also mapped at {:#x}", t.extent.begin, other));
  }
}

const TensorRecord* SnapshotBuilder::unchanged_from(const AnalyseOptions& options, std::uint32_t id) const {
  return unchanged_.empty() || unchanged_[id] == kNone32 ? nullptr : &options.earlier->tensors[unchanged_[id]];
}

void SnapshotBuilder::measure(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  is_compared_.assign(s.tensors.size(), 0);
  constexpr std::string_view kStopped = "not counted: the analysis was stopped";
  bool stopped = false;
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    stopped = stopped || (id % kTensorsPerLook == kTensorsPerLook - 1 && options.sharing.budget.stop.stop_requested());
    TensorRecord& t = s.tensors[id];
    is_compared_[id] = unreadable_[id] == 0 && has_bytes_at_address(t) ? 1 : 0;
    if (t.space != kNoSpace && t.data != 0) t.alignment = alignment_of(t.address);
    if (!t.has_layout) continue;
    const TensorRecord* const before = unchanged_from(options, id);
    if (before != nullptr && before->contiguity != Contiguity::unknown)
      t.contiguity = before->contiguity;
    else if (!stopped)
      t.contiguity = contiguity_of(s.layout(t), options.sharing.budget);
    if (unreadable_[id] != 0) {
      add_remark(id, RemarkCode::distinct_unknown, "not counted: the extent cannot be read");
    } else if (t.space == kNoSpace) {
      add_remark(id, RemarkCode::distinct_unknown, "not counted: the memory is a handle, not an address");
    } else if (before != nullptr && before->distinct_bytes != kUnknown64) {
      t.distinct_bytes = before->distinct_bytes;
    } else if (stopped) {
      add_remark(id, RemarkCode::distinct_unknown, kStopped);
    } else if (const auto bytes = distinct_bytes(s.memory_view(t), options.sharing.budget)) {
      t.distinct_bytes = *bytes;
    } else {
      const std::string_view why =
          options.sharing.budget.stop.stop_requested() ? kStopped : "not counted: that takes more work than is allowed";
      add_remark(id, RemarkCode::distinct_unknown, why);
    }
  }
}

void SnapshotBuilder::resolve_deleters(const AnalyseOptions& options) {
  for (DeleterRecord& deleter : snapshot_->deleters) {
    if (options.map != nullptr) {
      const CodePlace place = place_of(*options.map, deleter.address);
      deleter.library = intern(place.path);
      deleter.library_offset = place.offset;
    }
    if (options.symbol_of != nullptr) deleter.symbol = intern(options.symbol_of(deleter.address));
  }
}

}  // namespace dlscope::core
