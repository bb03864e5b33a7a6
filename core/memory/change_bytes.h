// Overwrites bytes of this process's own memory at the user's request: only if they still are what the user was shown, and only
// if every page is mapped for writing. The kernel does the writing, so a page that cannot be written is an error and not a
// SIGSEGV. The caller has checked that the owner of the memory allows it (core/inventory/write_permission.h).
// thread: one that keeps the owners of the memory from running meanwhile (by holding the GIL).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// Why the pages of the range cannot be written, as a clause; "" if all can.
[[nodiscard]] std::string why_not_mapped_for_writing(const AddressMap& map, ByteRange range);

// Has the kernel fault in every page of the range for writing (MADV_POPULATE_WRITE), without changing a byte. Where that may have
// to wait for more than memory (pages of files, pages registered with userfaultfd) a thread does it, for which the caller waits a
// second at most. A thread that hangs stays; when four do, no more are started in this process.
enum class Prepared : std::uint8_t {
  yes,
  no,         // a page cannot be written: nothing is mapped there, or the mapped file ends before it
  not_known,  // the pages are not mapped for writing, or the kernel is older than 5.14: the address map tells which
  no_answer,  // a write would wait: for a handler of userfaultfd, or for a file system
};
[[nodiscard]] Prepared prepare_for_writing(ByteRange range);

// "0a ff"; of more than 16 bytes only the first 16 and the number of bytes.
[[nodiscard]] std::string hex_description(std::span<const std::byte> bytes);

// Replaces the `expected` bytes at `address` with `bytes` (same size, not empty) and returns the bytes as read back. `own` reads
// this process, `map` is of this process. Fails when the memory no longer holds the expected bytes, cannot be read or written, or
// holds something else afterwards. After an incomplete write the old bytes are written back; if that fails, the error says so.
[[nodiscard]] Result<std::vector<std::byte>> change_bytes(const MemoryReader& own, const AddressMap& map, Address address,
                                                          std::span<const std::byte> expected, std::span<const std::byte> bytes);

}  // namespace dlscope::core
