// What the fake driver remembers. Every function of it holds the one lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake_cuda {

// CUresult
enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialised = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kContextIsDestroyed = 709,
};

enum class Kind : std::uint8_t { device, pinned, managed };

struct Allocation {
  Kind kind{};
  int device = 0;
  std::uint64_t begin = 0;
  std::size_t bytes = 0;
  std::uint64_t buffer_id = 0;
};

struct Context;

// Operations in order; none of them happens before somebody waits for it.
struct Stream {
  Context* context = nullptr;
  std::deque<std::function<void()>> operations;
  unsigned flags = 0;
  std::uint64_t put = 0, done = 0;
};

struct Event {
  Context* context = nullptr;
  Stream* stream = nullptr;
  std::uint64_t after = 0;  // done when the stream has done as many
};

struct Context {
  int device = 0;
  int retained = 0;
  Stream legacy, per_thread;
};

struct Failure {
  int error = 0, after = 0;
};

struct Hold {
  int after = 0;
  std::string reached, released;  // files
};

class Driver {
 public:
  [[nodiscard]] static Driver& get();
  Driver();

  std::mutex mutex;
  bool initialised = false;
  int devices = 2;
  int version = 12040;
  bool peers = true;  // the devices can reach each other
  std::map<std::string, int> calls;
  std::map<std::string, Failure> failures;
  std::map<std::string, Hold> holds;
  std::map<std::uint64_t, Allocation> allocations;  // by their first address
  std::vector<std::unique_ptr<Context>> contexts;   // the primary ones, by device
  std::map<Stream*, std::unique_ptr<Stream>> streams;
  std::map<Event*, std::unique_ptr<Event>> events;
  int pageable = 0, freed_in_use = 0, modules = 0;

  void read_environment();
  void reset();
  // Counts the call, and waits where it is held; what it must fail with, or kSuccess.
  [[nodiscard]] int enter(const char* entry);
  [[nodiscard]] int enter_with_context(const char* entry, Context*& context);

  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  // The memory behind [address, address + bytes) when that lies in one allocation.
  [[nodiscard]] std::byte* behind(std::uint64_t address, std::size_t bytes) const;
  [[nodiscard]] std::uint64_t allocate(Kind kind, int device, std::size_t bytes);
  void free(std::uint64_t begin);

  // The handles 0 and 1 are the legacy stream, 2 the one per thread; null: no such stream of this context.
  [[nodiscard]] Stream* stream_of(void* handle, Context& context);
  static void put(Stream& stream, std::function<void()> operation);
  static void run(Stream& stream, std::uint64_t until);
  void run_all();
  [[nodiscard]] int pending();

 private:
  static constexpr std::size_t kReserved = std::size_t{1} << 36;  // of addresses, for each device
  struct Space {
    std::uint64_t begin = 0, next = 0;
    std::byte* shadow = nullptr;
  };
  [[nodiscard]] Space& space_of(int device);
  std::map<int, Space> spaces_;
  std::uint64_t next_buffer_ = 1;
};

// The contexts that are current in this thread, the last one on top.
[[nodiscard]] std::vector<Context*>& current_contexts();

}  // namespace fake_cuda
