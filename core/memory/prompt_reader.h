// PromptReader: reads this process's memory for long tasks. What is there it reads on the calling thread, as fast as a plain
// reader or, where no file is mapped, faster (SelfCopyReader); only what may have to be waited for (a file's pages, memory that was
// never touched) goes through a DeadlineReader.
// thread: any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/memory/deadline_reader.h"
#include "core/memory/self_copy_reader.h"

namespace dlscope::core {

class PromptReader final : public MemoryReader {
 public:
  // direct: of this process.
  PromptReader(std::shared_ptr<const MemoryReader> direct, const DeadlineReader& in_time)
      : direct_(std::move(direct)), copied_(direct_), in_time_(in_time) {}

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void probe_each(std::span<const Address> addresses, std::span<Probed> out) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  // The worst of all calls so far: several threads of a task use one reader.
  [[nodiscard]] ReadStatus last_status() const override { return worst_; }
  [[nodiscard]] std::string problem() const override;

 private:
  [[nodiscard]] const MemoryReader& reader_of(ByteRange range, std::size_t pieces) const;
  [[nodiscard]] const MemoryReader& reader_of(std::span<const Address> single) const;
  [[nodiscard]] bool is_anonymous(ByteRange range) const;
  void note_answer(const MemoryReader& used) const;

  std::shared_ptr<const MemoryReader> direct_;
  SelfCopyReader copied_;  // of memory without a file
  DeadlineReader in_time_;
  ProcessPages pages_{0};
  mutable std::once_flag looked_;
  mutable std::vector<ByteRange> anonymous_;  // sorted; as they were at the first call
  mutable std::atomic<ReadStatus> worst_{ReadStatus::fresh};
};

}  // namespace dlscope::core
