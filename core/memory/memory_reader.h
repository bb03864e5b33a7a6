// MemoryReader: the one seam through which bytes at foreign addresses are read. Reading can never crash: a bad
// address gives a short count. Whether the bytes are still the tensor's is a different question (leases).
// thread: any. A plain reader keeps no state and may wait as long as the kernel does; DeadlineReader answers in time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

class MemoryReader {
 public:
  enum class Answer : std::uint8_t {
    now,
    earlier,  // not in time: with the bytes of an earlier call
    not_yet,  // not in time, and nothing is known from before
    never,    // some of the memory does not answer at all
  };

  virtual ~MemoryReader() = default;
  // Bytes read into the front of `out`, starting at `from`: fewer than asked when the range runs into memory that cannot be read.
  [[nodiscard]] virtual std::size_t read(Address from, std::span<std::byte> out) const = 0;
  // Whether the byte at each address can be read: readable[i] becomes 1 or 0. The same as read() of one byte each;
  // implementations batch it, because a scan asks for the ends of 1e5 extents.
  virtual void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      std::byte byte{};
      readable[i] = read(addresses[i], {&byte, 1}) == 1 ? 1 : 0;
    }
  }
  // Reads `each` bytes at every address into `out`, one piece after the other (out.size() == addresses.size() * each).
  // complete[i] becomes 1 when the whole piece was read, else 0 and its bytes in `out` mean nothing. Implementations batch it:
  // a strided window of a view is a thousand such pieces.
  virtual void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                      std::span<std::uint8_t> complete) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      complete[i] = read(addresses[i], out.subspan(i * each, each)) == each ? 1 : 0;
    }
  }
  // How the last call was answered.
  [[nodiscard]] virtual Answer last_answer() const { return Answer::now; }
  // Why the last call that fell short did, where more can be said than that the bytes cannot be read; "".
  [[nodiscard]] virtual std::string problem() const { return {}; }
};

// Reads process `pid` (0 or own: this one; or a child) with process_vm_readv; where the system forbids that, pread on /proc/PID/mem
// together with the permissions in its map (the mem file alone reads PROT_NONE pages).
// Fails when neither works; the message names the reason and the fix.
[[nodiscard]] Result<std::unique_ptr<MemoryReader>> process_reader(pid_t pid);

}  // namespace dlscope::core
