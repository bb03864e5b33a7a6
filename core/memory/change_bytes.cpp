#include "core/memory/change_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/blocked_signals.h"
#include "core/base/own_threads.h"
#include "core/memory/writes_without_fault.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kShownBytes = 16;

// For sandboxes that forbid process_vm_writev. /proc/self/mem ignores page permissions, so the caller must have checked the map.
std::size_t write_mem_file(Address to, std::span<const std::byte> bytes) {
  const int file = ::open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(to + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  const int why = errno;
  ::close(file);
  errno = why;
  return done;
}

// Returns the number of bytes written; if not all, errno says why. The kernel writes: a bad page gives EFAULT, not a signal.
std::size_t write_own_memory(Address to, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const iovec local{const_cast<std::byte*>(bytes.data() + done), bytes.size() - done};
    const iovec remote{reinterpret_cast<void*>(to + done), bytes.size() - done};
    const ssize_t put = ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0);
    if (put < 0 && (errno == ENOSYS || errno == EPERM)) return done + write_mem_file(to + done, bytes.subspan(done));
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  return done;
}

Result<void> check_still_there(const MemoryReader& own, Address address, std::span<const std::byte> expected) {
  std::vector<std::byte> now(expected.size());
  if (own.read(address, now) != now.size())
    return fail(ErrorKind::not_found, fmt::format("the bytes at 0x{:x} cannot be read, and nothing was written{}", address,
                                                  own.problem().empty() ? "" : ": " + own.problem()));
  if (std::ranges::equal(now, expected)) return {};
  return fail(ErrorKind::invalid,
              fmt::format("they have changed since they were shown, and nothing was written: 0x{:x} has {} now, not {}", address,
                          hex_description(now), hex_description(expected)));
}

Prepared prepare_here(ByteRange range) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const Address begin = range.begin / page * page;
  if (::madvise(reinterpret_cast<void*>(begin), range.end - begin, kPopulateWrite) == 0) return Prepared::yes;
  return errno == EFAULT || errno == ENOMEM || errno == EHWPOISON ? Prepared::no : Prepared::not_known;
}

// The threads of prepare_in_time() that have not come back. A forked child has none of them.
class Hanging {
 public:
  [[nodiscard]] static bool too_many() {
    const pid_t own = ::getpid();
    if (process_.exchange(own) != own) count_ = 0;
    return count_ >= kMost;
  }
  static void note(int more) { count_ += more; }

 private:
  static constexpr int kMost = 4;
  static inline std::atomic<pid_t> process_{0};
  static inline std::atomic<int> count_{0};
};

struct Answer {
  std::mutex mutex;
  std::condition_variable came;
  std::optional<Prepared> prepared;
  bool given_up = false;
};

Prepared prepare_in_time(ByteRange range) {
  constexpr std::chrono::seconds kPatience{1};
  if (Hanging::too_many()) return Prepared::no_answer;
  const auto answer = std::make_shared<Answer>();
  std::thread thread;
  try {
    const BlockedSignals blocked;
    thread = std::thread([answer, range] {
      ::pthread_setname_np(::pthread_self(), kReadThread);
      const Prepared prepared = prepare_here(range);
      const std::lock_guard lock(answer->mutex);
      answer->prepared = prepared;
      if (answer->given_up) Hanging::note(-1);
      answer->came.notify_all();
    });
  } catch (const std::system_error&) {  // the system refuses more threads: better to wait than to say that it does not answer
    return prepare_here(range);
  }
  std::unique_lock lock(answer->mutex);
  answer->came.wait_for(lock, kPatience, [&] { return answer->prepared.has_value(); });
  answer->given_up = !answer->prepared.has_value();
  if (answer->given_up) {
    Hanging::note(1);
    thread.detach();
    return Prepared::no_answer;
  }
  const Prepared prepared = *answer->prepared;
  lock.unlock();
  thread.join();  // a script without threads forks a process without threads
  return prepared;
}

}  // namespace

Prepared prepare_for_writing(ByteRange range) {
  if (range.empty()) return Prepared::yes;
  return writes_without_fault(range) ? prepare_here(range) : prepare_in_time(range);
}

std::string hex_description(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kShownBytes)))
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(byte));
  return bytes.size() > kShownBytes ? text + fmt::format(" ... ({} bytes)", bytes.size()) : text;
}

std::string why_not_mapped_for_writing(const AddressMap& map, ByteRange range) {
  for (Address at = range.begin; at < range.end;) {
    const Mapping* const mapping = map.find(at);
    if (mapping == nullptr) return fmt::format("no memory is mapped at 0x{:x}", at);
    if (!mapping->read || !mapping->write)
      return fmt::format("the page at 0x{:x} is not mapped for writing{}{}", at, mapping->path.empty() ? "" : ": ",
                         mapping->path);
    at = mapping->range.end;
  }
  return {};
}

Result<std::vector<std::byte>> change_bytes(const MemoryReader& own, const AddressMap& map, Address address,
                                            std::span<const std::byte> expected, std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.size() != expected.size() || address + bytes.size() < address)
    return fail(ErrorKind::invalid, "there is nothing to write");
  if (const std::string why = why_not_mapped_for_writing(map, {address, address + bytes.size()}); !why.empty())
    return fail(ErrorKind::unsupported, why);
  if (auto same = check_still_there(own, address, expected); !same) return std::unexpected(same.error());
  if (prepare_for_writing({address, address + bytes.size()}) == Prepared::no_answer)
    return fail(ErrorKind::environment,
                fmt::format("the memory does not answer a write at 0x{:x}, and nothing was written", address));
  const std::size_t done = write_own_memory(address, bytes);
  if (done < bytes.size()) {
    const char* const why = std::strerror(errno);
    const bool put_back = write_own_memory(address, expected.first(done)) == done;
    return fail(ErrorKind::environment, fmt::format("the system does not let these bytes be written ({}){}", why,
                                                    put_back ? "" : fmt::format("; the first {} bytes are changed", done)));
  }
  std::vector<std::byte> now(bytes.size());
  if (own.read(address, now) != now.size() || !std::ranges::equal(now, bytes))
    return fail(ErrorKind::environment,
                fmt::format("{} was written at 0x{:x}, but {} is there now: something else writes there too",
                            hex_description(bytes), address, hex_description(now)));
  return now;
}

}  // namespace dlscope::core
