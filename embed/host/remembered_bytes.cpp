#include "embed/host/remembered_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/clock.h"
#include "core/compare/block_hashes.h"
#include "core/inventory/kept_bytes.h"

namespace dlscope::embed {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

core::wire::RanMeanwhile ran_of(ThreadActivity::Ran ran) {
  using core::wire::RanMeanwhile;
  return ran == ThreadActivity::Ran::no    ? RanMeanwhile::no
         : ran == ThreadActivity::Ran::yes ? RanMeanwhile::yes
                                           : RanMeanwhile::unknown;
}

}  // namespace

void RememberedBytes::want(std::vector<Wanted> wanted) {
  if (wanted.size() > kMaxWanted) wanted.resize(kMaxWanted);
  wanted_ = std::move(wanted);
}

RememberedBytes::Made RememberedBytes::take(const core::Snapshot& snapshot, const core::MemoryReader& memory,
                                            const ThreadActivity* since, bool python_threads) {
  Made made;
  if (done_.revision != snapshot.info.revision) done_ = {snapshot.info.revision, {}};
  std::unordered_map<std::string_view, const Wanted*> sought;
  for (const Wanted& one : wanted_) {
    if (std::ranges::find(done_.wanted, one) == done_.wanted.end()) sought.emplace(one.name, &one);
  }
  if (sought.empty()) return made;
  const std::size_t first = copies_.size();
  for (std::uint32_t id = 0; id < snapshot.tensors.size() && !sought.empty(); ++id) {
    for (const core::TextRef name : core::Snapshot::slice(snapshot.names, snapshot.tensors[id].names)) {
      const auto found = sought.find(snapshot.str(name));
      if (found == sought.end()) continue;
      Copy one{.id = ++last_id_,
               .revision = snapshot.info.revision,
               .tensor = id,
               .of = *found->second,
               .bytes = {},
               .hashes = {},
               .why = {}};
      const std::int64_t from = core::monotonic_ns();
      copy(one, snapshot, memory);
      if (one.why.empty() && !one.of.hashed) {
        ++made.tensors;
        made.bytes += one.bytes.size();
        made.ns += static_cast<std::uint64_t>(core::monotonic_ns() - from);
      }
      copies_.push_back(std::move(one));
      sought.erase(found);
    }
  }
  done_.wanted = wanted_;
  ThreadActivity::Ran ran = since != nullptr ? since->ran_since() : ThreadActivity::Ran::unknown;
  // Threads of C libraries that nobody saw running (pools that wait) are no reason to doubt the bytes; Python's own are.
  if (ran == ThreadActivity::Ran::unknown && !python_threads) ran = ThreadActivity::Ran::no;
  for (std::size_t i = first; i < copies_.size(); ++i) copies_[i].ran = ran;
  return made;
}

void RememberedBytes::copy(Copy& copy, const core::Snapshot& snapshot, const core::MemoryReader& memory) const {
  const core::TensorRecord& tensor = snapshot.tensors[copy.tensor];
  copy.begin = tensor.extent.begin;
  if (waiting_bytes() + (copy.of.hashed ? 0 : tensor.extent.size()) > kMaxWaiting &&
      tensor.extent.size() <= core::kMaxKeptBytes) {
    copy.why = fmt::format("{} MiB of copies wait for the window to fetch them, and no more than {} MiB may",
                           waiting_bytes() / kMiB, kMaxWaiting / kMiB);
    return;
  }
  if (copy.of.hashed) {
    auto hashes = core::block_hashes(snapshot, tensor, memory);
    if (hashes)
      copy.hashes = std::move(*hashes);
    else
      copy.why = std::move(hashes.error().message);
  } else {
    auto bytes = core::copy_of_extent(snapshot, tensor, memory);
    if (bytes)
      copy.bytes = std::move(*bytes);
    else
      copy.why = std::move(bytes.error().message);
  }
  copy.check = core::hash_of_bytes(copy.held());
}

std::uint64_t RememberedBytes::waiting_bytes() const {
  std::uint64_t bytes = 0;
  for (const Copy& copy : copies_) bytes += copy.held().size();
  return bytes;
}

void RememberedBytes::forget_through(std::uint64_t through) {
  std::erase_if(copies_, [through](const Copy& copy) { return copy.id <= through; });
}

std::vector<core::wire::WaitingCopy> RememberedBytes::waiting() const {
  std::vector<core::wire::WaitingCopy> out;
  for (const Copy& copy : copies_) {
    out.push_back({.id = copy.id,
                   .revision = copy.revision,
                   .tensor = copy.tensor,
                   .name = copy.of.name,
                   .hashed = copy.of.hashed,
                   .begin = copy.begin,
                   .at = reinterpret_cast<core::Address>(copy.held().data()),
                   .size = copy.held().size(),
                   .check = copy.check,
                   .ran = ran_of(copy.ran),
                   .why_not = copy.why});
  }
  return out;
}

}  // namespace dlscope::embed
