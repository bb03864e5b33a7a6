// MappedFile: a regular file, mapped for reading. Headers are read with pread() and values through a MemoryReader, never by loads
// from the mapping: another program may shorten the file at any time, and a load beyond its end raises SIGBUS.
// thread: any after construction.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

// Times since 1970, of the system clock.
struct FileTimes {
  std::chrono::nanoseconds changed{0};          // ctime: of content, name or permissions; cannot be set by programs
  std::optional<std::chrono::nanoseconds> made;  // birth time; nullopt if the file system does not store it
};

// What has become of a file that was opened, as far as its size, its times and its name say.
enum class SinceOpened : std::uint8_t {
  unchanged,
  changed,    // its content, its permissions or its links: a time says no more
  shortened,  // what lay behind its end cannot be read any more; up to the end of that page it reads as zeros
  replaced,   // its name is that of another file by now; the opened one is as it was, unless it says otherwise
  removed,    // the same, and no file has its name
};

class MappedFile {
 public:
  // Fails when the file is missing, cannot be read or is not a regular file. Never blocks on a FIFO.
  [[nodiscard]] static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Address address() const { return reinterpret_cast<Address>(base_); }  // of its first byte; 0 when it is empty
  [[nodiscard]] Result<FileTimes> times() const;
  // May block where the disk does not answer.
  [[nodiscard]] SinceOpened since_opened() const;
  // Exactly out.size() bytes from `offset` on.
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const;
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const;

 private:
  MappedFile() = default;
  void* base_ = nullptr;
  std::uint64_t size_ = 0;
  int file_ = -1;
  std::string path_;
  std::chrono::nanoseconds changed_{0};  // ctime when it was opened
};

// Owns anonymous memory for decompressed data. Pages that are never written cost nothing.
class UnpackedMemory {
 public:
  [[nodiscard]] static Result<UnpackedMemory> create(std::uint64_t size);  // size > 0
  UnpackedMemory(UnpackedMemory&& other) noexcept;
  UnpackedMemory& operator=(UnpackedMemory&&) = delete;
  ~UnpackedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(base_), size_}; }
  [[nodiscard]] Address address() const { return reinterpret_cast<Address>(base_); }

 private:
  UnpackedMemory() = default;
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dlscope::core
