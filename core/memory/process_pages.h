// ProcessPages: what the kernel says of a process's memory without anybody touching it.
// thread: any.
#pragma once

#include <sys/types.h>

#include "core/base/address.h"

namespace dlscope::core {

// The same of any memory that a MemoryReader reads. An implementation that cannot say gives an empty range and false.
class PageFacts {
 public:
  virtual ~PageFacts() = default;
  // The mapping that contains the address: of one file, or of memory without a file.
  [[nodiscard]] virtual ByteRange mapping_of(Address address) const = 0;
  // Every page of the range is there: reading it waits for no disk, no network and no other program.
  [[nodiscard]] virtual bool present(ByteRange range) const = 0;
};

class ProcessPages final : public PageFacts {
 public:
  explicit ProcessPages(pid_t pid) : pid_(pid) {}  // 0: this process

  [[nodiscard]] ByteRange mapping_of(Address address) const override;  // reads the whole map: a millisecond
  [[nodiscard]] bool present(ByteRange range) const override;          // some microseconds

 private:
  pid_t pid_;
};

}  // namespace dlscope::core
