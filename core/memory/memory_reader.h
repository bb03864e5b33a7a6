// MemoryReader: the one seam through which bytes at foreign addresses are read. Reading can never crash: a bad
// address gives a short count. Whether the bytes are still the tensor's is a different question (leases).
// thread: any; implementations are stateless after construction.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

class MemoryReader {
 public:
  virtual ~MemoryReader() = default;
  // Bytes read into the front of `out`, starting at `from`: fewer than asked when the range runs into memory that cannot be read.
  [[nodiscard]] virtual std::size_t read(Address from, std::span<std::byte> out) const = 0;
};

// Reads process `pid` (own or a child) with process_vm_readv; where the system forbids that, pread on /proc/PID/mem
// together with the permissions in its map (the mem file alone reads PROT_NONE pages).
// Fails when neither works; the message names the reason and the fix.
[[nodiscard]] Result<std::unique_ptr<MemoryReader>> process_reader(pid_t pid);

}  // namespace dlscope::core
