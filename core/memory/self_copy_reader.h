// SelfCopyReader: reads this process's memory by having the kernel write it from where it lies to where it is wanted, with
// process_vm_writev to this very process. As with process_vm_readv, a bad address gives a short count and no signal. But the
// kernel looks up only the pages that it writes to, which are few where they are huge (ReadBuffer), while process_vm_readv looks
// up every page that it reads, which takes longer than copying it.
//
// Only for memory without a file: where a device's registers are mapped, process_vm_readv refuses, and this would read them.
// thread: any.
#pragma once

#include <memory>
#include <utility>

#include "core/memory/memory_reader.h"

namespace dlscope::core {

class SelfCopyReader final : public MemoryReader {
 public:
  // other: of this process. It is asked for what cannot be read in this way, be it that the system forbids the call.
  explicit SelfCopyReader(std::shared_ptr<const MemoryReader> other) : other_(std::move(other)) {}

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;

 private:
  std::shared_ptr<const MemoryReader> other_;
};

}  // namespace dlscope::core
