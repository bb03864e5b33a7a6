#include "core/memory/memory_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/address_map.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kMaxPiece = std::size_t{1} << 30;  // of one system call; the kernel stops at 2 GiB
constexpr std::size_t kMaxPieces = 1024;                 // iovecs the kernel takes at once

// How many of the `size` bytes from `from` on lie below the end of the address space.
std::size_t clipped(Address from, std::size_t size) {
  return std::min<std::uint64_t>(size, std::numeric_limits<Address>::max() - from);
}

// iovec needs a pointer; this one points into another process, or nowhere, and is never dereferenced here.
void* remote_pointer(Address address) { return reinterpret_cast<void*>(address); }

// process_vm_readv respects page permissions, stops at the first unreadable page and raises no signal.
class VmReader final : public MemoryReader {
 public:
  explicit VmReader(pid_t pid) : pid_(pid) {}

  std::size_t read(Address from, std::span<std::byte> out) const override {
    const std::size_t wanted = clipped(from, out.size());
    std::size_t done = 0;
    while (done < wanted) {
      const std::size_t piece = std::min(wanted - done, kMaxPiece);
      const iovec local{out.data() + done, piece};
      const iovec remote{remote_pointer(from + done), piece};
      const ssize_t got = ::process_vm_readv(pid_, &local, 1, &remote, 1, 0);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override {
    std::array<std::byte, kMaxPieces> bytes;
    std::array<iovec, kMaxPieces> remote;
    std::size_t done = 0;
    while (done < addresses.size()) {
      const std::size_t count = std::min(addresses.size() - done, kMaxPieces);
      for (std::size_t i = 0; i < count; ++i) remote[i] = {remote_pointer(addresses[done + i]), 1};
      const iovec local{bytes.data(), count};
      const ssize_t got = ::process_vm_readv(pid_, &local, 1, remote.data(), count, 0);
      const std::size_t good = got > 0 ? static_cast<std::size_t>(got) : 0;
      std::fill_n(readable.begin() + static_cast<std::ptrdiff_t>(done), good, std::uint8_t{1});
      done += good;
      if (good < count) readable[done++] = 0;  // where the kernel stopped
    }
  }

  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    if (each == 0 || each > kMaxPiece) return MemoryReader::gather(addresses, each, out, complete);
    const std::size_t at_once = std::clamp<std::size_t>(kMaxPiece / each, 1, kMaxPieces);
    std::array<iovec, kMaxPieces> remote;
    std::size_t done = 0;
    while (done < addresses.size()) {
      const std::size_t count = std::min(addresses.size() - done, at_once);
      for (std::size_t i = 0; i < count; ++i) remote[i] = {remote_pointer(addresses[done + i]), each};
      const iovec local{out.data() + done * each, count * each};
      const ssize_t got = ::process_vm_readv(pid_, &local, 1, remote.data(), count, 0);
      const std::size_t good = got > 0 ? static_cast<std::size_t>(got) / each : 0;
      std::fill_n(complete.begin() + static_cast<std::ptrdiff_t>(done), good, std::uint8_t{1});
      done += good;
      if (good < count) complete[done++] = 0;  // where the kernel stopped, perhaps inside a piece
    }
  }

 private:
  pid_t pid_;
};

// PROCMAP_QUERY of linux/fs.h (Linux 6.11): finds one mapping without reading all of /proc/PID/maps as text.
struct ProcmapQuery {
  std::uint64_t size, flags, address;
  std::uint64_t begin, end, rights, page_size, offset, inode;
  std::uint32_t device_major, device_minor, name_bytes, build_id_bytes;
  std::uint64_t name, build_id;
};
constexpr std::uint64_t kMayRead = 1;
constexpr unsigned long kProcmapQuery = _IOWR('f', 17, ProcmapQuery);

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fault_ = fmt::format("{}: {}", path, std::strerror(errno));
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }  // empty when it is open

 private:
  int fd_;
  std::string fault_;
};

// Reads /proc/PID/mem where the process's map grants reading, because the file also reads PROT_NONE pages.
class MemFile {
 public:
  explicit MemFile(pid_t pid) : pid_(pid), bytes_(fmt::format("/proc/{}/mem", pid)), maps_(fmt::format("/proc/{}/maps", pid)) {}

  // Empty when it works.
  [[nodiscard]] const std::string& fault() const { return maps_.fault().empty() ? bytes_.fault() : maps_.fault(); }

  [[nodiscard]] std::size_t read(Address from, std::span<std::byte> out) {
    if (!fault().empty()) return 0;
    const std::size_t wanted = granted(from, clipped(from, out.size()));
    std::size_t done = 0;
    while (done < wanted) {
      const std::size_t piece = std::min(wanted - done, kMaxPiece);
      const ssize_t got = ::pread(bytes_.get(), out.data() + done, piece, static_cast<off_t>(from + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  // How many bytes from `from` on are readable according to the map.
  [[nodiscard]] std::size_t granted(Address from, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const Address end = end_of_readable(from + done);
      if (end == 0) break;
      done += end - (from + done);
    }
    return std::min(done, size);
  }

  // The end of the readable mapping that contains the address; 0: there is none.
  [[nodiscard]] Address end_of_readable(Address address) {
    if (!map_) {
      ProcmapQuery query{};
      query.size = sizeof query;
      query.address = address;
      if (::ioctl(maps_.get(), kProcmapQuery, &query) == 0) return (query.rights & kMayRead) != 0 ? query.end : 0;
      if (errno == ENOENT || errno == ESRCH) return 0;
      map_ = AddressMap::load(pid_).value_or(AddressMap{});  // an older kernel
    }
    const Mapping* mapping = map_->find(address);
    return mapping != nullptr && mapping->read ? mapping->range.end : 0;
  }

  pid_t pid_;
  Descriptor bytes_, maps_;
  std::optional<AddressMap> map_;  // without PROCMAP_QUERY: loaded at the first question
};

// Opens both files again for every request, because a script may close descriptors that it did not open. That costs microseconds,
// and on kernels before 6.11 parsing the whole map; this reader is used only where process_vm_readv is forbidden.
class MemFileReader final : public MemoryReader {
 public:
  explicit MemFileReader(pid_t pid) : pid_(pid) {}

  std::size_t read(Address from, std::span<std::byte> out) const override { return MemFile(pid_).read(from, out); }

  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override {
    std::vector<std::byte> bytes(addresses.size());
    gather(addresses, 1, bytes, readable);
  }

  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    MemFile file(pid_);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      complete[i] = file.read(addresses[i], out.subspan(i * each, each)) == each ? 1 : 0;
    }
  }

 private:
  pid_t pid_;
};

// Tries to read a byte at an unmapped address: EFAULT means that the call is allowed.
int vm_read_error(pid_t pid) {
  std::byte byte{};
  const iovec local{&byte, 1};
  const iovec remote{nullptr, 1};
  if (::process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT) return 0;
  return errno;
}

}  // namespace

Result<std::unique_ptr<MemoryReader>> process_reader(pid_t pid) {
  if (pid == 0) pid = ::getpid();
  const int error = vm_read_error(pid);
  if (error == 0) return std::make_unique<VmReader>(pid);
  if (error == ESRCH) return fail(ErrorKind::not_found, fmt::format("there is no process {} to read", pid));
  const MemFile by_file(pid);
  if (by_file.fault().empty()) return std::make_unique<MemFileReader>(pid);
  return fail(ErrorKind::environment,
              fmt::format("cannot read the memory of process {}: process_vm_readv: {}; {}; it must belong to the same user, and "
                          "a container must allow process_vm_readv (for example: --cap-add SYS_PTRACE)",
                          pid, std::strerror(error), by_file.fault()));
}

}  // namespace dlscope::core
