// Changing bytes of this process's own memory on somebody's demand: only where they are still what was seen, only where every page may be
// written, and never with a signal: a page that cannot be written is an answer. Whether the owner of the memory allows it is decided before
// (core/inventory/write_permission.h).
// thread: one that keeps the owners of the memory from running meanwhile (the GIL).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// Why the pages of the range cannot be written, in words; "" where all can.
[[nodiscard]] std::string why_not_mapped_for_writing(const AddressMap& map, ByteRange range);

// Has the kernel make every page of the range ready for being written, which changes no byte. False: it will not, or cannot say.
[[nodiscard]] bool prepare_for_writing(ByteRange range);

// "0a ff", at most a few of them.
[[nodiscard]] std::string hex_description(std::span<const std::byte> bytes);

// Replaces the `expected` bytes at `address` with as many others, and returns them as they were read back. Fails in words: the bytes are
// other ones by now, cannot be read or written, or are not the new ones afterwards. What was written in part is put back.
[[nodiscard]] Result<std::vector<std::byte>> change_bytes(const MemoryReader& own, const AddressMap& map, Address address,
                                                          std::span<const std::byte> expected, std::span<const std::byte> bytes);

}  // namespace dlscope::core
