// SnapshotBuilder: turns descriptions into records, then works out what follows from them.
// The first half (add_*) runs where Python runs and does no more than copy numbers; analyse() is pure core code for a worker.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
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
  const AddressMap* map = nullptr;       // of the process the addresses belong to; null: readable stays false
  const MemoryReader* reader = nullptr;  // reads the extents' ends; null: readable stays false
  // Asked what addresses are: whether the memory is where its producer says, and of which allocation. Null: nobody is asked.
  const CudaDriver* cuda = nullptr;
  // Names the function that starts at or holds an address, "" when no symbol table has it; null: no symbols.
  std::string (*symbol_of)(Address) = nullptr;
  SharingLimits sharing;
  // An earlier analysis of the same process: what of it still holds is taken over instead of being worked out again,
  // unless it has many more tensors. Null: there is none.
  const Snapshot* earlier = nullptr;
  // Of every tensor whose values can be read. They are read through `reader`: nothing holds the memory.
  StatisticsMethod statistics = StatisticsMethod::none;
};

class SnapshotBuilder {
 public:
  SnapshotBuilder();

  // Copies text into the pool; interned: equal strings give equal refs. Control characters and invalid UTF-8 are
  // escaped, length capped at 4096 bytes here, once, so that nothing later need care.
  TextRef intern(std::string_view text);
  // The same without the lookup, for text that is never repeated (name paths).
  TextRef add_text(std::string_view text);

  // Adds a tensor; returns its id. library and type come from intern(). Remarks are copied from desc.
  // An empty name means the tensor has none.
  std::uint32_t add_tensor(const TensorDesc& desc, TextRef library, TextRef type, TextRef name);
  // Another name for the tensor added last or earlier. Names may be added in any order; finish() sorts them together.
  void add_name(std::uint32_t tensor, TextRef name);
  void mark_held(std::uint32_t tensor);  // by a lease of dlscope
  // A frame whose locals are looked at; its index for set_frame(), kNone16 when there are too many.
  [[nodiscard]] std::uint16_t add_frame(std::string_view function, std::string_view file, std::uint32_t line,
                                        std::uint32_t depth);
  void set_frame(std::uint32_t tensor, std::uint16_t frame) { snapshot_->tensors[tensor].frame = frame; }
  void add_not_entered(std::string_view type, std::uint64_t count);
  // Messages keep their line breaks: they are a library's own words.
  void add_refusal(std::uint32_t tensor, Protocol protocol, std::string_view exception_type, std::string_view message);
  void add_remark(std::uint32_t tensor, RemarkCode code, std::string_view message);
  void add_limit(std::string_view what, std::uint64_t limit, bool reached);
  void add_library(std::string_view name, std::string_view version);
  void add_device(const DeviceRecord& device);
  void add_event(const EventRecord& event);
  void add_copy(const CopyRecord& copy);
  [[nodiscard]] std::size_t tensor_count() const { return snapshot_->tensors.size(); }
  SnapshotInfo& info() { return snapshot_->info; }

  // Fills spaces, distinct_bytes, contiguity, alignment, readable, deleters' libraries, pairs and groups. Slow part; no Python.
  // Call it once, after the last add_tensor(). Ends early, leaving things unknown, when options.sharing.stop is asked.
  void analyse(const AnalyseOptions& options);

  // Ends the build. The builder is empty afterwards.
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
  std::uint16_t item_type_index(const ItemType& type);

  // Whether it has bytes at all, at addresses of a space. (Whether they can be read is another question.)
  [[nodiscard]] static bool has_bytes_at_address(const TensorRecord& t) {
    return t.has_layout && t.space != kNoSpace && !t.extent.empty();
  }
  void ask_driver(const AnalyseOptions& options);
  void assign_spaces();
  void check_readable(const AnalyseOptions& options);
  void measure(const AnalyseOptions& options);
  void resolve_deleters(const AnalyseOptions& options);
  void summarise_values(const AnalyseOptions& options);
  [[nodiscard]] const TensorRecord* unchanged_from(const AnalyseOptions& options, std::uint32_t id) const;  // null: it is new
  template <class Predicate>
  [[nodiscard]] std::vector<SharingItem> items_where(Predicate takes_part) const;
  [[nodiscard]] Sharing sharing_of_readable(const AnalyseOptions& options) const;
  [[nodiscard]] Sharing doubtful_pairs(const SharingLimits& limits) const;
  void find_groups_and_pairs(const AnalyseOptions& options);
  void add_group(const SharingGroup& group, std::span<const std::uint32_t> members);

  std::shared_ptr<Snapshot> snapshot_;
  std::unordered_map<std::string, TextRef, TextHash, std::equal_to<>> interned_;
  std::unordered_map<Address, std::uint32_t> deleter_indices_;
  std::vector<ItemType> item_types_;          // as they were added
  std::vector<TextRef> last_remark_texts_;    // by code: producers repeat themselves
  std::vector<std::uint8_t> unreadable_;      // by tensor: looked at, and found unreadable
  std::vector<std::uint8_t> is_compared_;     // by tensor: it has bytes at known addresses, and they can be read
  std::vector<std::uint8_t> not_where_told_;  // by tensor: the driver says that its memory is elsewhere; empty: nobody was asked
  std::vector<std::uint32_t> unchanged_;      // by tensor: its id in AnalyseOptions::earlier, or kNone32; empty: there is none
  bool text_full_ = false;
  std::vector<Pending> pending_names_;
  std::vector<PendingRefusal> pending_refusals_;
  std::vector<PendingRemark> pending_remarks_;
};

}  // namespace dlscope::core
