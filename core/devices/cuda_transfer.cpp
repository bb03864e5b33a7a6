#include "core/devices/cuda_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/workers.h"
#include "core/devices/cuda_running.h"
#include "core/tensor/device_id.h"

namespace dlscope::core {
namespace {

constexpr unsigned kNonBlocking = 1;           // CU_STREAM_NON_BLOCKING: not ordered with the default stream
constexpr unsigned kNoTiming = 2;              // CU_EVENT_DISABLE_TIMING
constexpr std::size_t kMaxPitch = 0x7fffffff;  // of a 2-D copy, on all devices so far

std::unexpected<Error> cancelled() { return fail(ErrorKind::cancelled, "the copy was stopped"); }

}  // namespace

Result<std::unique_ptr<CudaTransfer>> CudaTransfer::open(int ordinal, CudaRing ring) {
  auto driver = CudaDriver::open(CudaInit::only_if_initialised);
  if (!driver) return std::unexpected(driver.error());
  std::unique_ptr<CudaTransfer> made(new CudaTransfer(std::move(*driver), ordinal, ring));
  if (const auto done = made->make_handles(); !done) return std::unexpected(done.error());
  return made;
}

Result<void> CudaTransfer::make_handles() {
  const auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  const CudaEntries& e = driver_.entries();
  const std::string device = device_name({2, ordinal_});
  if (const int error = e.stream_create(&stream_, kNonBlocking)) {
    stream_ = nullptr;
    return driver_.failed("making a stream on " + device, error);
  }
  ring_.resize(sizes_.buffers);
  return {};
}

// Allocates a buffer only when it is used, because pinning memory takes milliseconds.
Result<void> CudaTransfer::ready(Buffer& buffer) {
  const CudaEntries& e = driver_.entries();
  if (buffer.bytes == nullptr) {
    void* memory = nullptr;
    if (const int error = e.pinned_allocate(&memory, sizes_.buffer_bytes, 0))
      return driver_.failed("allocating " + std::to_string(sizes_.buffer_bytes) + " bytes of pinned memory", error);
    buffer.bytes = static_cast<std::byte*>(memory);
  }
  if (buffer.filled != nullptr) return {};
  if (const int error = e.event_create(&buffer.filled, kNoTiming)) {
    buffer.filled = nullptr;
    return driver_.failed("making an event on " + device_name({2, ordinal_}), error);
  }
  return {};
}

// If the context is gone, everything allocated in it is gone, too.
CudaTransfer::~CudaTransfer() {
  auto running = Running::enter(*this);
  if (!running) return;
  running->finished();
  const CudaEntries& e = driver_.entries();
  // As a rule every call has waited for what it queued. What is left is then a wait for the program's work, if finish() was
  // cancelled, and destroying the stream does not wait for that.
  if (stream_ != nullptr && may_be_running_) e.stream_synchronize(stream_);
  kernels_.reset();
  if (scratch_ != 0) e.device_free(scratch_);
  for (const Buffer& buffer : ring_) {
    if (buffer.filled != nullptr) e.event_destroy(buffer.filled);
    if (buffer.bytes != nullptr) e.pinned_free(buffer.bytes);
  }
  if (stream_ != nullptr) e.stream_destroy(stream_);
}

Result<void> CudaTransfer::wait_for_default_stream() {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  running->finished();  // no copy of ours is running
  return core::wait_for_default_stream(driver_, ordinal_, stream_);
}

Result<void> CudaTransfer::finish(const std::stop_token& stop) {
  return finish([&stop] { return !stop.stop_requested(); });
}

// Waits longer and longer: most programs have nothing queued, and a short wait should cost little.
Result<void> CudaTransfer::finish(const std::function<bool()>& goes_on) {
  constexpr std::chrono::microseconds kShortest(5), kLongest(200);
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  running->finished();
  for (auto wait = kShortest;; wait = std::min(2 * wait, kLongest)) {
    const int error = driver_.entries().stream_query(stream_);
    if (error == kCudaSuccess) return {};
    if (error != kCudaNotReady) return driver_.failed("waiting for the program's work", error);
    if (auto asked = goes_on ? running->ask(goes_on) : Result<void>(); !asked) return asked;
    std::this_thread::sleep_for(wait);
  }
}

Result<void> CudaTransfer::wait_for_all_streams() {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  running->finished();
  if (const int error = driver_.entries().context_synchronize()) return driver_.failed("waiting for the program's work", error);
  return {};
}

Result<void> CudaTransfer::record(const Buffer& buffer) {
  if (const int error = driver_.entries().event_record(buffer.filled, stream_)) return driver_.failed("the copy", error);
  return {};
}

Result<void> CudaTransfer::wait(const Buffer& buffer) {
  if (const int error = driver_.entries().event_synchronize(buffer.filled))
    return driver_.failed("copying between " + device_name({2, ordinal_}) + " and the host", error);
  return {};
}

// Copies between rows on the device and packed rows in pinned memory,
// in either direction. Uses one driver call if the pitch allows it.
Result<void> CudaTransfer::copy_rows(const DeviceRows& rows, std::byte* pinned, bool to_host) {
  const CudaEntries& e = driver_.entries();
  const auto straight = [&](Address device, std::byte* host, std::size_t bytes) {
    return to_host ? e.copy_to_host(host, device, bytes, stream_) : e.copy_to_device(device, host, bytes, stream_);
  };
  int error = kCudaSuccess;
  if (rows.count == 1 || rows.pitch == rows.width) {
    error = straight(rows.first, pinned, rows.width * rows.count);
  } else if (rows.pitch <= kMaxPitch) {
    CudaCopy2D copy{};
    copy.width = rows.width;
    copy.height = rows.count;
    if (to_host) {
      copy.from_memory = CudaCopy2D::device;
      copy.from_device = rows.first;
      copy.from_pitch = rows.pitch;
      copy.to_memory = CudaCopy2D::host;
      copy.to_host = pinned;
      copy.to_pitch = rows.width;
    } else {
      copy.from_memory = CudaCopy2D::host;
      copy.from_host = pinned;
      copy.from_pitch = rows.width;
      copy.to_memory = CudaCopy2D::device;
      copy.to_device = rows.first;
      copy.to_pitch = rows.pitch;
    }
    error = e.copy_rows(&copy, stream_);
  } else {
    for (std::size_t row = 0; row < rows.count && error == kCudaSuccess; ++row)
      error = straight(rows.first + row * rows.pitch, pinned + row * rows.width, rows.width);
  }
  if (error != kCudaSuccess)
    return driver_.failed((to_host ? "copying from " : "copying to ") + device_name({2, ordinal_}), error);
  return {};
}

namespace {

// Divides the rows into pieces that fit into a buffer: some rows, or a part of one.
class Pieces {
 public:
  Pieces(const DeviceRows& rows, std::size_t most) : rows_(rows), most_(most) {}
  struct Piece {
    DeviceRows rows;
    std::size_t first_row = 0, column = 0;
  };
  [[nodiscard]] std::optional<Piece> next() {
    if (row_ >= rows_.count || rows_.width == 0) return std::nullopt;
    Piece piece{{rows_.first + row_ * rows_.pitch + column_, 0, 1, rows_.pitch}, row_, column_};
    if (rows_.width > most_) {
      piece.rows.width = std::min(most_, rows_.width - column_);
      column_ += piece.rows.width;
      if (column_ == rows_.width) {
        column_ = 0;
        ++row_;
      }
    } else {
      piece.rows.width = rows_.width;
      piece.rows.count = std::min(most_ / rows_.width, rows_.count - row_);
      row_ += piece.rows.count;
    }
    return piece;
  }

 private:
  DeviceRows rows_;
  std::size_t most_, row_ = 0, column_ = 0;
};

// Uses several threads, because one core copies more slowly than the
// device, the more so if the target's pages are touched first here.
void copy_on_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 20, kMaxThreads = 4;
  const std::size_t cores = std::max(std::thread::hardware_concurrency() / 2, 1u);
  const std::size_t threads = std::min({bytes / kWorthAThread, kMaxThreads, cores});
  if (threads <= 1) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::atomic<std::size_t> next = 0;
  const std::size_t each = (bytes + threads - 1) / threads;
  run_workers(threads, [&](std::size_t) {
    for (std::size_t at = next.fetch_add(each); at < bytes; at = next.fetch_add(each))
      std::memcpy(to + at, from + at, std::min(each, bytes - at));
  });
}

// Calls move(host address, offset in the packed rows, bytes) for each contiguous stretch of a piece.
template <class Bytes, class Move>
void each_row(const Pieces::Piece& piece, Bytes* host, std::ptrdiff_t pitch, Move move) {
  const std::size_t width = piece.rows.width;
  Bytes* const first = host + static_cast<std::ptrdiff_t>(piece.first_row) * pitch + piece.column;
  if (pitch == static_cast<std::ptrdiff_t>(width) || piece.rows.count == 1) return move(first, 0, width * piece.rows.count);
  for (std::size_t row = 0; row < piece.rows.count; ++row)
    move(first + static_cast<std::ptrdiff_t>(row) * pitch, row * width, width);
}

}  // namespace

// Moves the rows piece by piece through the ring of pinned buffers. copy(piece, pinned bytes) moves one between its buffer and the
// host's memory: for to_host when it has arrived, else before it leaves.
template <class Copy>
Result<void> CudaTransfer::move_rows(const DeviceRows& rows, bool to_host, const Copy& copy, const std::stop_token& stop,
                                     const PieceMoved& moved) {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Pieces pieces(rows, sizes_.buffer_bytes);
  std::vector<std::optional<Pieces::Piece>> in_ring(ring_.size());
  const auto arrive = [&](std::size_t slot) -> Result<void> {
    if (!in_ring[slot]) return {};
    if (auto done = wait(ring_[slot]); !done) return done;
    if (to_host) copy(*in_ring[slot], ring_[slot].bytes);
    const std::size_t bytes = in_ring[slot]->rows.width * in_ring[slot]->rows.count;
    in_ring[slot].reset();
    if (!moved) return {};
    return running->ask([&] { return moved(bytes); });
  };
  std::size_t slot = 0;
  for (auto piece = pieces.next(); piece; piece = pieces.next(), slot = (slot + 1) % ring_.size()) {
    if (stop.stop_requested()) return cancelled();
    if (auto done = arrive(slot); !done) return done;
    if (auto done = ready(ring_[slot]); !done) return done;
    if (!to_host) copy(*piece, ring_[slot].bytes);
    if (auto done = copy_rows(piece->rows, ring_[slot].bytes, to_host); !done) return done;
    if (auto done = record(ring_[slot]); !done) return done;
    in_ring[slot] = piece;
  }
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    if (auto done = arrive((slot + i) % ring_.size()); !done) return done;
  }
  running->finished();
  return {};
}

Result<void> CudaTransfer::to_host(const DeviceRows& from, std::byte* to, std::ptrdiff_t to_pitch, std::stop_token stop,
                                   const PieceMoved& moved) {
  const auto copy = [&](const Pieces::Piece& piece, const std::byte* pinned) {
    each_row(piece, to, to_pitch,
             [&](std::byte* at, std::size_t offset, std::size_t bytes) { copy_on_host(at, pinned + offset, bytes); });
  };
  return move_rows(from, true, copy, stop, moved);
}

Result<void> CudaTransfer::to_device(const std::byte* from, std::ptrdiff_t from_pitch, const DeviceRows& to,
                                     std::stop_token stop, const PieceMoved& moved) {
  const auto copy = [&](const Pieces::Piece& piece, std::byte* pinned) {
    each_row(piece, from, from_pitch,
             [&](const std::byte* at, std::size_t offset, std::size_t bytes) { copy_on_host(pinned + offset, at, bytes); });
  };
  return move_rows(to, false, copy, stop, moved);
}

Result<void> CudaTransfer::end(Running& running) {
  if (const int error = driver_.entries().stream_synchronize(stream_))
    return driver_.failed("copying on " + device_name({2, ordinal_}), error);
  running.finished();
  return {};
}

Result<void> CudaTransfer::on_device(Address from, Address to, std::size_t bytes) {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (const int error = driver_.entries().copy_on_device(to, from, bytes, stream_))
    return driver_.failed("copying on " + device_name({2, ordinal_}), error);
  return end(*running);
}

Result<void> CudaTransfer::to_peer(Address from, int peer, Address to, std::size_t bytes) {
  const auto there = CudaScope::enter(driver_, peer);
  if (!there) return std::unexpected(there.error());
  const auto here = CudaScope::enter(driver_, ordinal_);
  if (!here) return std::unexpected(here.error());
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (const int error = driver_.entries().copy_to_peer(to, there->context(), from, here->context(), bytes, stream_))
    return driver_.failed(fmt::format("copying from {} to {}", device_name({2, ordinal_}), device_name({2, peer})), error);
  return end(*running);
}

}  // namespace dlscope::core
