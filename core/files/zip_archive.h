// The directory of a zip archive (zip64 too), and its files unpacked. Nothing it says is believed: ranges are checked against the
// archive's size, sizes against what deflate can do, contents against their checksum.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/files/npy_header.h"

namespace dlscope::core {

enum class ZipMethod : std::uint8_t { stored, deflated, other };

struct ZipEntry {
  std::string name;
  ZipMethod method = ZipMethod::stored;
  bool encrypted = false;
  std::uint32_t checksum = 0;     // CRC-32 of the content
  std::uint64_t data_offset = 0;  // of the packed content, from the start of the archive
  std::uint64_t packed_bytes = 0, bytes = 0;
};

// In the order of the directory. Fails when an entry leaves the archive or two overlap.
[[nodiscard]] Result<std::vector<ZipEntry>> read_zip_directory(std::uint64_t archive_bytes, const ReadBytes& read);

// Unpacks a deflated entry into `out`, whose size is entry.bytes. Fails when it unpacks to another size or another checksum.
[[nodiscard]] Result<void> unpack_zip_entry(const ZipEntry& entry, const ReadBytes& read, std::span<std::byte> out);

}  // namespace dlscope::core
