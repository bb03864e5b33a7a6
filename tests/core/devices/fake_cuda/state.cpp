#include "state.h"

#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "fake_cuda.h"

namespace fake_cuda {

std::vector<Context*>& current_contexts() {
  thread_local std::vector<Context*> stack;
  return stack;
}

Driver& Driver::get() {
  static Driver* const driver = new Driver;
  return *driver;
}

Driver::Driver() { read_environment(); }

void Driver::read_environment() {
  if (const char* text = std::getenv("FAKE_CUDA_DEVICES")) devices = std::atoi(text);
  if (const char* text = std::getenv("FAKE_CUDA_VERSION")) version = std::atoi(text);
  const char* const no_peers = std::getenv("FAKE_CUDA_PEERS");
  peers = no_peers == nullptr || std::string_view(no_peers) != "0";
  const char* const list = std::getenv("FAKE_CUDA_FAIL");
  std::istringstream entries(list != nullptr ? list : "");
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) failures[entry.substr(0, equals)] = {std::atoi(entry.c_str() + equals + 1), 0};
  }
  contexts.clear();
  for (int device = 0; device < devices; ++device) {
    contexts.push_back(std::make_unique<Context>());
    contexts.back()->device = device;
    contexts.back()->legacy.context = contexts.back()->per_thread.context = contexts.back().get();
  }
}

void Driver::reset() {
  run_all();
  while (!allocations.empty()) free(allocations.begin()->first);
  current_contexts().clear();
  streams.clear();
  events.clear();
  calls.clear();
  failures.clear();
  holds.clear();
  initialised = false;
  pageable = freed_in_use = modules = 0;
  devices = 2;
  version = 12040;
  read_environment();
}

int Driver::enter(const char* entry) {
  ++calls[entry];
  if (const auto held = holds.find(entry); held != holds.end() && held->second.after-- == 0) {
    const Hold hold = std::move(held->second);
    holds.erase(held);
    std::ofstream(hold.reached).flush();
    while (!std::filesystem::exists(hold.released)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (const auto failing = failures.find(entry); failing != failures.end()) {
    Failure& failure = failing->second;
    if (failure.after == 0) return failure.error;
    --failure.after;
  }
  const std::string name = entry;
  const bool before_init = name == "cuInit" || name == "cuDriverGetVersion" || name == "cuGetErrorName";
  return initialised || before_init ? kSuccess : kNotInitialised;
}

int Driver::enter_with_context(const char* entry, Context*& context) {
  if (const int error = enter(entry)) return error;
  if (const auto lost = failures.find("*"); lost != failures.end()) {
    if (lost->second.after == 0) return lost->second.error;
    --lost->second.after;
  }
  if (current_contexts().empty()) return kInvalidContext;
  context = current_contexts().back();
  return context->retained > 0 ? kSuccess : kContextIsDestroyed;
}

// ---- Memory ----------------------------------------------------------------------------------------------------------------

Driver::Space& Driver::space_of(int device) {
  Space& space = spaces_[device];
  if (space.begin != 0) return space;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const addresses = mmap(nullptr, kReserved, PROT_NONE, kFlags, -1, 0);
  void* const shadow = mmap(nullptr, kReserved, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (addresses == MAP_FAILED || shadow == MAP_FAILED) std::abort();
  space.begin = space.next = reinterpret_cast<std::uint64_t>(addresses);
  space.shadow = static_cast<std::byte*>(shadow);
  return space;
}

const Allocation* Driver::find(std::uint64_t address) const {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return address - found.begin < found.bytes ? &found : nullptr;
}

std::byte* Driver::behind(std::uint64_t address, std::size_t bytes) const {
  const Allocation* const found = find(address);
  if (found == nullptr || bytes > found->begin + found->bytes - address) return nullptr;
  if (found->kind != Kind::device) return reinterpret_cast<std::byte*>(address);
  const Space& space = spaces_.at(found->device);
  return space.shadow + (address - space.begin);
}

std::uint64_t Driver::allocate(Kind kind, int device, std::size_t bytes) {
  constexpr std::size_t kAlign = 512, kGap = 4096;
  Allocation made{kind, device, 0, bytes, next_buffer_++};
  if (kind == Kind::device) {
    Space& space = space_of(device);
    made.begin = space.next;
    if (bytes > kReserved || made.begin + bytes + kGap > space.begin + kReserved) return 0;
    space.next = (made.begin + bytes + kGap + kAlign - 1) / kAlign * kAlign;
  } else {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    made.begin = reinterpret_cast<std::uint64_t>(memory);
  }
  allocations[made.begin] = made;
  return made.begin;
}

void Driver::free(std::uint64_t begin) {
  const Allocation& freed = allocations.at(begin);
  if (freed.kind != Kind::device) munmap(reinterpret_cast<void*>(begin), freed.bytes);
  allocations.erase(begin);
}

// ---- Streams ---------------------------------------------------------------------------------------------------------------

Stream* Driver::stream_of(void* handle, Context& context) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return &context.legacy;
  if (number == 2) return &context.per_thread;
  const auto found = streams.find(static_cast<Stream*>(handle));
  return found != streams.end() && found->first->context == &context ? found->first : nullptr;
}

void Driver::put(Stream& stream, std::function<void()> operation) {
  stream.operations.push_back(std::move(operation));
  ++stream.put;
}

void Driver::run(Stream& stream, std::uint64_t until) {
  while (stream.done < until && !stream.operations.empty()) {
    const std::function<void()> operation = std::move(stream.operations.front());
    stream.operations.pop_front();
    ++stream.done;
    operation();
  }
}

void Driver::run_all() {
  for (const auto& context : contexts) {
    run(context->legacy, context->legacy.put);
    run(context->per_thread, context->per_thread.put);
  }
  for (const auto& [stream, owner] : streams) run(*stream, stream->put);
}

int Driver::pending() {
  std::size_t sum = 0;
  for (const auto& context : contexts) sum += context->legacy.operations.size() + context->per_thread.operations.size();
  for (const auto& [stream, owner] : streams) sum += stream->operations.size();
  return static_cast<int>(sum);
}

}  // namespace fake_cuda

// ---- What tests call -------------------------------------------------------------------------------------------------------

using fake_cuda::Driver;
using fake_cuda::Kind;

extern "C" {

void fake_cuda_fail(const char* entry, int error, int after) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  driver.failures.erase(entry);
  if (error != 0) driver.failures[entry] = {error, after};
}

void fake_cuda_hold(const char* entry, int after, const char* reached, const char* released) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  driver.holds[entry] = {after, reached, released};
}

int fake_cuda_calls(const char* entry) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  const auto found = driver.calls.find(entry);
  return found != driver.calls.end() ? found->second : 0;
}

int fake_cuda_count(const char* what) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  const std::string_view asked = what;
  const auto of_kind = [&](Kind kind) {
    int count = 0;
    for (const auto& [begin, allocation] : driver.allocations) count += allocation.kind == kind ? 1 : 0;
    return count;
  };
  if (asked == "allocation") return of_kind(Kind::device);
  if (asked == "pinned") return of_kind(Kind::pinned);
  if (asked == "stream") return static_cast<int>(driver.streams.size());
  if (asked == "event") return static_cast<int>(driver.events.size());
  if (asked == "module") return driver.modules;
  if (asked == "pending") return driver.pending();
  if (asked == "current") return static_cast<int>(fake_cuda::current_contexts().size());
  if (asked == "pageable") return driver.pageable;
  if (asked == "freed in use") return driver.freed_in_use;
  int retained = 0;
  for (const auto& context : driver.contexts) retained += context->retained;
  return asked == "retained" ? retained : -1;
}

void fake_cuda_activate(int device) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  ++driver.contexts.at(static_cast<std::size_t>(device))->retained;
}

uint64_t fake_cuda_allocate(const char* kind, int device, size_t bytes) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  const std::string_view name = kind;
  const Kind wanted = name == "pinned" ? Kind::pinned : name == "managed" ? Kind::managed : Kind::device;
  return driver.allocate(wanted, device, bytes);
}

void* fake_cuda_shadow(uint64_t device_address) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  return driver.behind(device_address, 1);
}

void fake_cuda_reset(void) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  driver.reset();
}

}  // extern "C"
