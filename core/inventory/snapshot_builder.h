// SnapshotBuilder: makes a Snapshot from descriptions of tensors. First the add_* functions, on Python's main thread, which only
// copy numbers and texts; then analyse(), which needs no Python and may run on a worker; then finish().
// thread: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/devices/cuda_driver.h"
#include "core/inventory/sanitise.h"
#include "core/inventory/snapshot.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

struct AnalyseOptions {
  const AddressMap* map = nullptr;       // of the process that the addresses belong to; null: readable stays false
  // Why there is no map. Then no host tensor's bytes are known: which memory is there is not, nor where pages are mapped twice.
  std::string map_problem = {};
  const MemoryReader* reader = nullptr;  // to read the ends of extents; null: readable stays false
  // Asked on which device the memory really is, and to which allocation it belongs. Null: not asked.
  const CudaDriver* cuda = nullptr;
  // True: the exports that were described are kept until the snapshot has been used, so copies that producers made for them still
  // exist (is_copy_for_export()).
  bool exports_are_held = false;
  // The name of the function that contains an address, "" if no symbol table has it; null: no symbols.
  std::string (*symbol_of)(Address) = nullptr;
  SharingLimits sharing;
  // An earlier snapshot of the same process: results that still hold are taken over instead of being computed again, unless it
  // has many more tensors. Null: there is none.
  const Snapshot* earlier = nullptr;
  // To compute for every tensor whose values can be read. Values are read through `reader`, without a lease on the memory.
  StatisticsMethod statistics = StatisticsMethod::none;
  // Given what is known when sharing has taken longer than `unfinished_after`: a snapshot without pairs and groups, in which
  // missing_pairs and open_groups are UnknownWhy::not_yet. Called at most once, on a thread of its own, before analyse() returns.
  // What it throws is dropped. Empty: nobody waits.
  std::function<void(std::shared_ptr<Snapshot>)> unfinished = {};
  std::chrono::milliseconds unfinished_after{500};
};

class SnapshotBuilder {
 public:
  SnapshotBuilder();

  // Copies text into the pool; equal strings give equal refs. Control characters and invalid UTF-8 are escaped and the length is
  // capped at 4096 bytes here, so that later code need not check.
  TextRef intern(std::string_view text);
  // The same without the lookup, for text that does not repeat (name paths).
  TextRef add_text(std::string_view text);

  // Adds a tensor and returns its id. library and type are results
  // of intern(). Copies desc's remarks. An empty name: it has none.
  std::uint32_t add_tensor(const TensorDesc& desc, TextRef library, TextRef type, TextRef name);
  // Adds another name to a tensor added before. Names may be added in any order; finish() groups them by tensor.
  void add_name(std::uint32_t tensor, TextRef name);
  // Adds a frame whose locals are scanned. Returns its index for set_frame(), or kNone16 when there are too many.
  [[nodiscard]] std::uint16_t add_frame(std::string_view function, std::string_view file, std::uint32_t line,
                                        std::uint32_t depth);
  void set_frame(std::uint32_t tensor, std::uint16_t frame) { snapshot_->tensors[tensor].frame = frame; }
  void add_not_entered(std::string_view type, std::uint64_t count);
  // The message is a library's own, so its line breaks are kept.
  void add_refusal(std::uint32_t tensor, Protocol protocol, std::string_view exception_type, std::string_view message);
  void add_remark(std::uint32_t tensor, RemarkCode code, std::string_view message);
  void add_limit(std::string_view what, std::uint64_t limit, bool reached);
  void add_library(std::string_view name, std::string_view version);
  void add_device(const DeviceRecord& device);
  void add_event(const EventRecord& event);
  void add_copy(const CopyRecord& copy);
  [[nodiscard]] std::size_t tensor_count() const { return snapshot_->tensors.size(); }
  // The tensors are all that a scan would find: none was left out by a limit or an interrupt.
  void set_complete() { is_complete_ = true; }
  SnapshotInfo& info() { return snapshot_->info; }

  // Fills spaces, distinct_bytes, contiguity, alignment, readable, deleters' libraries,
  // pairs, groups and statistics. Slow; needs no Python. Call it once, after the last
  // add_tensor(). Ends early, leaving facts unknown, when options.sharing.stop is requested.
  void analyse(const AnalyseOptions& options);

  // Returns the snapshot. The builder is empty afterwards.
  [[nodiscard]] std::shared_ptr<Snapshot> finish();

 private:
  struct Pending {
    std::uint32_t tensor;
    TextRef name;
  };
  struct PendingRefusal {
    std::uint32_t tensor;
    RefusalRecord refusal;
  };
  struct PendingRemark {
    std::uint32_t tensor;
    RemarkRecord remark;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  TextRef append(std::string_view text, LineBreaks breaks);
  TextRef remark_text(RemarkCode code, std::string_view message);
  std::uint32_t deleter_index(Address address);
  void set_allocation(TensorRecord& t, ByteRange range, AllocationSource source);
  std::uint16_t item_type_index(const ItemType& type);

  // Whether the tensor has bytes of its own at known addresses. They need not be readable.
  [[nodiscard]] static bool has_bytes_at_address(const TensorRecord& t) {
    return t.has_layout && t.space != kNoSpace && !t.extent.empty() && !is_copy_for_export(t);
  }
  void ask_driver(const AnalyseOptions& options);
  void assign_spaces(const AnalyseOptions& options);
  void check_readable(const AnalyseOptions& options);
  void note_probed(std::uint32_t id, MemoryReader::Probed first, MemoryReader::Probed last);
  void find_page_aliases(const AddressMap& map);
  void measure(const AnalyseOptions& options);
  void resolve_deleters(const AnalyseOptions& options);
  void summarise_values(const AnalyseOptions& options);
  [[nodiscard]] const TensorRecord* unchanged_from(const AnalyseOptions& options, std::uint32_t id) const;  // null: it is new
  template <class Predicate>
  [[nodiscard]] std::vector<SharingItem> items_where(Predicate takes_part, MemoryView (Snapshot::*view)(const TensorRecord&)
                                                         const = &Snapshot::memory_view) const;
  [[nodiscard]] Sharing sharing_of_readable(const AnalyseOptions& options, std::span<const std::uint8_t> takes_part) const;
  [[nodiscard]] std::optional<Sharing> refreshed_sharing(const AnalyseOptions& options, std::span<const std::uint8_t> takes_part) const;
  [[nodiscard]] Sharing sharing_of_aliased(const SharingLimits& limits) const;
  [[nodiscard]] Sharing sharing_of_all(const AnalyseOptions& options) const;
  [[nodiscard]] Sharing sharing_in_time(const AnalyseOptions& options) const;  // tells options.unfinished meanwhile
  [[nodiscard]] std::vector<std::uint8_t> doubtful_tensors() const;  // by tensor: 1: claims bytes that cannot be read
  void find_groups_and_pairs(const AnalyseOptions& options);
  [[nodiscard]] std::shared_ptr<Snapshot> without_sharing() const;  // a copy, finished, in which sharing is not known yet
  bool add_pairs_in_same_file_pages(const AddressMap& map, const SharingLimits& limits);  // true: limits.work was not enough
  void measure_allocations();
  // References to the owner of an allocation, counted when a tensor in it was described, and the object that has one of them.
  struct CountedReferences {
    ByteRange allocation;
    std::uint32_t count = 0;
    Address referrer = 0;
  };
  [[nodiscard]] std::vector<ByteRange> allocations_kept_by_others() const;  // ascending
  void note_kept_alive();
  void add_group(const SharingGroup& group, std::span<const std::uint32_t> members);

  std::shared_ptr<Snapshot> snapshot_;
  std::unordered_map<std::string, TextRef, TextHash, std::equal_to<>> interned_;
  std::unordered_map<Address, std::uint32_t> deleter_indices_;
  std::vector<CountedReferences> counted_references_;
  std::vector<ItemType> item_types_;          // in the order of Snapshot::item_types
  std::vector<TextRef> last_remark_texts_;    // by code: the last remark's text, which the next remark usually repeats
  std::vector<std::uint8_t> unreadable_;      // by tensor: 1: was checked and is unreadable
  std::vector<std::uint8_t> is_compared_;     // by tensor: 1: has readable bytes at known addresses
  std::vector<std::uint8_t> contradicted_by_driver_;  // by tensor: 1: the driver contradicts the producer's device; empty: not asked
  std::vector<std::uint32_t> unchanged_;      // by tensor: its id in AnalyseOptions::earlier, or kNone32; empty: no earlier one
  bool is_complete_ = false;                  // set_complete()
  bool any_aliased_ = false;                  // some tensor has a page_shift
  bool is_map_missed_ = false;                // for some tensor a map was needed, and there is none
  bool text_full_ = false;
  std::vector<Pending> pending_names_;
  std::vector<PendingRefusal> pending_refusals_;
  std::vector<PendingRemark> pending_remarks_;
};

}  // namespace dlscope::core
