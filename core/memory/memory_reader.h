// MemoryReader: the one interface through which bytes at foreign addresses are read. Reading never crashes: a bad address gives a
// short count. It says nothing about whether the memory still belongs to the tensor; a lease ensures that.
// thread: any. A plain reader keeps no state and blocks as long as the kernel does; DeadlineReader has a time limit.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

class MemoryReader {
 public:
  enum class ReadStatus : std::uint8_t {
    fresh,
    stale,    // not in time: the bytes are those of an earlier, equal request
    pending,  // not in time, and there is no earlier answer
    hung,     // reading some of the memory hangs
    skipped,  // some was not read, because reading other memory of its mapping hangs, or too many other reads do
  };
  enum class Probed : std::uint8_t { unreadable, readable, hung, skipped };  // hung, skipped: as above

  virtual ~MemoryReader() = default;
  // Reads memory from `from` on into the front of `out`; returns the number of bytes read, which is less than out.size() when the
  // range runs into memory that cannot be read.
  [[nodiscard]] virtual std::size_t read(Address from, std::span<std::byte> out) const = 0;
  // Whether the byte at each address can be read: readable[i] becomes 1 or 0. Equals read() of one byte each; implementations
  // batch it, because a scan probes both ends of 1e5 extents.
  virtual void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      std::byte byte{};
      readable[i] = read(addresses[i], {&byte, 1}) == 1 ? 1 : 0;
    }
  }
  // As probe(), and says of each what cannot be read why.
  virtual void probe_each(std::span<const Address> addresses, std::span<Probed> out) const {
    std::vector<std::uint8_t> readable(addresses.size());
    probe(addresses, readable);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = readable[i] != 0 ? Probed::readable : Probed::unreadable;
  }
  // Reads `each` bytes at every address into `out`, one piece after the other (out.size() == addresses.size() * each).
  // complete[i] becomes 1 when the whole piece was read; otherwise 0, and the piece's bytes in `out` are meaningless.
  // Implementations batch it, because the visible part of a strided view is a thousand such pieces.
  virtual void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                      std::span<std::uint8_t> complete) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      complete[i] = read(addresses[i], out.subspan(i * each, each)) == each ? 1 : 0;
    }
  }
  // How the last call ended.
  [[nodiscard]] virtual ReadStatus last_status() const { return ReadStatus::fresh; }
  // Why the last call did not read everything, if there is more to say than "cannot be read"; else "".
  [[nodiscard]] virtual std::string problem() const { return {}; }
};

// Reads the memory of process `pid` (0 or our own pid: this process; or a child's) with process_vm_readv. Where the system
// forbids that, with pread on /proc/PID/mem, after checking the permissions in /proc/PID/maps, because the mem file also reads
// PROT_NONE pages. Fails when neither works; the message names the reason and what to do.
[[nodiscard]] Result<std::unique_ptr<MemoryReader>> process_reader(pid_t pid);

}  // namespace dlscope::core
