// KeptPages: ProcessPages of this process, for many questions: it keeps the kernel's file open.
// thread: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/memory/process_pages.h"

namespace dlscope::core {

// The descriptor has a high number and is closed on exec. Descriptors are the script's, too: an answer is taken only if the
// descriptor still is the file that was opened, because a script may close any and open others; and none is kept where the
// process may have few. After a fork it speaks of the parent: a child makes another one.
class KeptPages final : public PageFacts {
 public:
  KeptPages() = default;
  ~KeptPages() override { close_kept(); }
  KeptPages(const KeptPages&) = delete;
  KeptPages& operator=(const KeptPages&) = delete;

  [[nodiscard]] ByteRange mapping_of(Address address) const override { return ProcessPages(0).mapping_of(address); }
  [[nodiscard]] bool present(ByteRange range) const override;  // less than a microsecond for a page

  // Closes the file if the descriptor is still it: for a forked child, which shares the parent's.
  void close_kept() const;
  [[nodiscard]] int descriptor() const { return file_; }  // -1: none is kept now

 private:
  [[nodiscard]] int open_kept() const;
  [[nodiscard]] bool is_kept(int file) const;

  mutable std::mutex opening_;
  mutable std::atomic<int> file_{-1};
  mutable std::atomic<std::uint64_t> device_{0}, inode_{0};  // of the file that was opened
};

}  // namespace dlscope::core
