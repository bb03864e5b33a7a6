// Reads the directory of a zip archive (including zip64) and unpacks its files. The archive is untrusted: ranges are checked
// against its size, sizes against deflate's highest possible ratio, contents against their checksum. thread: any.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
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

// The entries in the order of the directory. Fails when an entry lies outside the archive or two overlap.
[[nodiscard]] Result<std::vector<ZipEntry>> read_zip_directory(std::uint64_t archive_bytes, const ReadBytes& read);

// Unpacks a deflated entry into `out`, whose size must be entry.bytes.
// Fails when the unpacked size or checksum is not that of the entry, and when it was stopped (ErrorKind::cancelled). unpacked: told
// after every piece how many bytes are there.
[[nodiscard]] Result<void> unpack_zip_entry(const ZipEntry& entry, const ReadBytes& read, std::span<std::byte> out,
                                            const std::stop_token& stop = {},
                                            const std::function<void(std::uint64_t)>& unpacked = {});
// The first `bytes` of a deflated entry, fewer where it is shorter. Its checksum is not looked at.
[[nodiscard]] Result<std::vector<std::byte>> unpack_zip_start(const ZipEntry& entry, const ReadBytes& read, std::uint64_t bytes);

}  // namespace dlscope::core
