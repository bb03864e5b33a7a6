// SnapshotBuilder: turns descriptions into records, then works out what follows from them.
// The first half (add_*) runs where Python runs and does no more than copy numbers; analyse() is pure core code for a worker.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"
#include "core/memory/sharing.h"

namespace dlscope::core {

struct AnalyseOptions {
  const AddressMap* map = nullptr;        // of the process the addresses belong to; null: readable stays false
  const MemoryReader* reader = nullptr;   // reads the extents' ends
  SharingLimits sharing;
};

class SnapshotBuilder {
 public:
  SnapshotBuilder();

  // Copies text into the pool; interned: equal strings give equal refs. Control characters and invalid UTF-8 are
  // escaped, length capped at 4096 bytes (names) here, once, so that nothing later need care.
  TextRef intern(std::string_view text);
  // The same without the lookup, for text that is never repeated (name paths, messages).
  TextRef add_text(std::string_view text);

  // Adds a tensor; returns its id. library and type come from intern(). Remarks are copied from desc.
  std::uint32_t add_tensor(const TensorDesc& desc, TextRef library, TextRef type, TextRef name);
  // Another name for the tensor added last or earlier. Names may be added in any order; finish() sorts them together.
  void add_name(std::uint32_t tensor, TextRef name);
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
  void analyse(const AnalyseOptions& options);

  // Ends the build. The builder is empty afterwards.
  [[nodiscard]] std::shared_ptr<Snapshot> finish();

 private:
  std::shared_ptr<Snapshot> snapshot_;
  std::unordered_map<std::string, TextRef> interned_;
  struct Pending { std::uint32_t tensor; TextRef name; };
  std::vector<Pending> pending_names_;
  struct PendingRefusal { std::uint32_t tensor; RefusalRecord refusal; };
  std::vector<PendingRefusal> pending_refusals_;
  struct PendingRemark { std::uint32_t tensor; RemarkRecord remark; };
  std::vector<PendingRemark> pending_remarks_;
};

}  // namespace dlscope::core
