#include "core/devices/cuda_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "core/tensor/device_id.h"

namespace dlscope::core {
namespace {

constexpr unsigned kNonBlocking = 1;           // CU_STREAM_NON_BLOCKING: waits for no default stream
constexpr unsigned kNoTiming = 2;              // CU_EVENT_DISABLE_TIMING
constexpr int kRelaxed = 2;                    // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr std::size_t kMaxPitch = 0x7fffffff;  // of a 2-D copy, on every device there is

std::unexpected<Error> cancelled() { return fail(ErrorKind::cancelled, "the copy was stopped"); }

}  // namespace

// The device's context, and the calling thread in a mode in which its calls do not break a graph that the program is capturing.
class CudaTransfer::Running {
 public:
  [[nodiscard]] static Result<Running> enter(const CudaTransfer& transfer) {
    auto scope = CudaScope::enter(transfer.driver_, transfer.ordinal_);
    if (!scope) return std::unexpected(scope.error());
    return Running(transfer, std::move(*scope));
  }
  ~Running() {
    if (transfer_ == nullptr) return;
    // An error leaves copies under way: they write into our buffers, and read from them.
    if (!finished_ && transfer_->stream_ != nullptr) transfer_->driver_.entries().stream_synchronize(transfer_->stream_);
    if (is_relaxed_) transfer_->driver_.entries().exchange_capture_mode(&mode_);
  }
  Running(Running&& other) noexcept
      : transfer_(std::exchange(other.transfer_, nullptr)),
        scope_(std::move(other.scope_)),
        mode_(other.mode_),
        is_relaxed_(other.is_relaxed_),
        finished_(other.finished_) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  void finished() { finished_ = true; }

 private:
  Running(const CudaTransfer& transfer, CudaScope scope) : transfer_(&transfer), scope_(std::move(scope)) {
    is_relaxed_ = transfer.driver_.entries().exchange_capture_mode(&mode_) == kCudaSuccess;
  }
  const CudaTransfer* transfer_;
  CudaScope scope_;
  int mode_ = kRelaxed;  // the thread's own, once it is relaxed
  bool is_relaxed_ = false;
  bool finished_ = false;
};

Result<std::unique_ptr<CudaTransfer>> CudaTransfer::open(int ordinal, CudaRing ring) {
  auto driver = CudaDriver::open(CudaLook::only_if_initialised);
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
  for (std::size_t i = 0; i < sizes_.buffers; ++i) {
    Buffer& buffer = ring_.emplace_back();
    void* memory = nullptr;
    if (const int error = e.pinned_allocate(&memory, sizes_.buffer_bytes, 0))
      return driver_.failed("allocating " + std::to_string(sizes_.buffer_bytes) + " bytes of pinned memory", error);
    buffer.bytes = static_cast<std::byte*>(memory);
    if (const int error = e.event_create(&buffer.filled, kNoTiming)) {
      buffer.filled = nullptr;
      return driver_.failed("making an event on " + device, error);
    }
  }
  return {};
}

// Where the context is gone, what was made in it went with it.
CudaTransfer::~CudaTransfer() {
  auto running = Running::enter(*this);
  if (!running) return;
  running->finished();  // by hand, because the stream goes
  const CudaEntries& e = driver_.entries();
  if (stream_ != nullptr) e.stream_synchronize(stream_);
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
  running->finished();  // nothing of ours is under way
  return core::wait_for_default_stream(driver_, ordinal_, stream_);
}

Result<void> CudaTransfer::finish(const std::stop_token& stop) {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  running->finished();
  for (;;) {
    const int error = driver_.entries().stream_query(stream_);
    if (error == kCudaSuccess) return {};
    if (error != kCudaNotReady) return driver_.failed("waiting for the program's work", error);
    if (stop.stop_requested()) return cancelled();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
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

// Between the rows on the device and their bytes one after the other in pinned memory. One copy where the driver makes one of it.
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

// The rows cut into pieces that fit a buffer: some rows, or a part of one.
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

// Between the packed rows of a piece and where they lie in the host's memory.
template <class Bytes, class Move>
void each_row(const Pieces::Piece& piece, Bytes* host, std::ptrdiff_t pitch, Move move) {
  const std::size_t width = piece.rows.width;
  Bytes* const first = host + static_cast<std::ptrdiff_t>(piece.first_row) * pitch + piece.column;
  if (pitch == static_cast<std::ptrdiff_t>(width) || piece.rows.count == 1) return move(first, 0, width * piece.rows.count);
  for (std::size_t row = 0; row < piece.rows.count; ++row)
    move(first + static_cast<std::ptrdiff_t>(row) * pitch, row * width, width);
}

}  // namespace

Result<void> CudaTransfer::to_host(const DeviceRows& from, std::byte* to, std::ptrdiff_t to_pitch, std::stop_token stop) {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Pieces pieces(from, sizes_.buffer_bytes);
  std::vector<std::optional<Pieces::Piece>> in_ring(ring_.size());
  const auto deliver = [&](std::size_t slot) -> Result<void> {
    if (!in_ring[slot]) return {};
    if (auto done = wait(ring_[slot]); !done) return done;
    each_row(*in_ring[slot], to, to_pitch,
             [&](std::byte* at, std::size_t offset, std::size_t bytes) { std::memcpy(at, ring_[slot].bytes + offset, bytes); });
    in_ring[slot].reset();
    return {};
  };
  std::size_t slot = 0;
  for (auto piece = pieces.next(); piece; piece = pieces.next(), slot = (slot + 1) % ring_.size()) {
    if (stop.stop_requested()) return cancelled();
    if (auto done = deliver(slot); !done) return done;
    if (auto done = copy_rows(piece->rows, ring_[slot].bytes, true); !done) return done;
    if (auto done = record(ring_[slot]); !done) return done;
    in_ring[slot] = piece;
  }
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    if (auto done = deliver((slot + i) % ring_.size()); !done) return done;
  }
  running->finished();
  return {};
}

Result<void> CudaTransfer::to_device(const std::byte* from, std::ptrdiff_t from_pitch, const DeviceRows& to,
                                     std::stop_token stop) {
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Pieces pieces(to, sizes_.buffer_bytes);
  std::vector<char> in_use(ring_.size(), 0);
  std::size_t slot = 0;
  for (auto piece = pieces.next(); piece; piece = pieces.next(), slot = (slot + 1) % ring_.size()) {
    if (stop.stop_requested()) return cancelled();
    if (in_use[slot] != 0) {
      if (auto done = wait(ring_[slot]); !done) return done;
    }
    each_row(*piece, from, from_pitch, [&](const std::byte* at, std::size_t offset, std::size_t bytes) {
      std::memcpy(ring_[slot].bytes + offset, at, bytes);
    });
    if (auto done = copy_rows(piece->rows, ring_[slot].bytes, false); !done) return done;
    if (auto done = record(ring_[slot]); !done) return done;
    in_use[slot] = 1;
  }
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    if (in_use[i] == 0) continue;
    if (auto done = wait(ring_[i]); !done) return done;
  }
  running->finished();
  return {};
}

// As many as fit into a buffer are put on the stream before anyone waits.
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

const std::string& CudaTransfer::kernels_problem() {
  if (kernels_) return kernels_problem_;
  const auto running = Running::enter(*this);
  kernels_.emplace(running ? CudaKernels::load(driver_) : Result<CudaKernels>(std::unexpected(running.error())));
  if (!*kernels_) kernels_problem_ = kernels_->error().message;
  return kernels_problem_;
}

Result<Address> CudaTransfer::scratch() {
  if (scratch_ != 0) return scratch_;
  const auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (const int error = driver_.entries().device_allocate(&scratch_, scratch_bytes())) {
    scratch_ = 0;
    return driver_.failed(fmt::format("allocating {} bytes on {}", scratch_bytes(), device_name({2, ordinal_})), error);
  }
  return scratch_;
}

Result<void> CudaTransfer::copy_items(const kernels::ItemCopy& copy, unsigned item) {
  if (!kernels_problem().empty()) return fail(ErrorKind::unsupported, kernels_problem());
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (auto put = (*kernels_)->copy_items(copy, item, stream_); !put) return put;
  return end(*running);
}

// The bins lie in front of the answers in the scratch memory, and all of it comes back in one piece.
Result<void> CudaTransfer::scan_blocks(kernels::BlockScan scan, std::span<kernels::BlockAnswer> answers, kernels::BinCounts* bins) {
  if (!kernels_problem().empty()) return fail(ErrorKind::unsupported, kernels_problem());
  const auto memory = scratch();
  if (!memory) return fail(ErrorKind::unsupported, memory.error().message);
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  const CudaEntries& e = driver_.entries();
  const std::string failed = "summarising values on " + device_name({2, ordinal_});
  if (const int error = e.set_bytes(*memory, 0, sizeof(kernels::BinCounts), stream_)) return driver_.failed(failed, error);
  scan.answers = *memory + sizeof(kernels::BinCounts);
  scan.bins = bins != nullptr ? *memory : 0;
  if (auto put = (*kernels_)->scan_blocks(scan, stream_); !put) return put;
  Buffer& buffer = ring_.front();
  const std::size_t bytes = sizeof(kernels::BinCounts) + answers.size_bytes();
  if (auto put = copy_rows({*memory, bytes, 1, bytes}, buffer.bytes, true); !put) return put;
  if (auto done = end(*running); !done) return done;
  std::memcpy(answers.data(), buffer.bytes + sizeof(kernels::BinCounts), answers.size_bytes());
  if (bins == nullptr) return {};
  kernels::BinCounts found;
  std::memcpy(&found, buffer.bytes, sizeof found);
  for (int i = 0; i < kernels::kScanBins; ++i) bins->bins[i] += found.bins[i];
  bins->below += found.below;
  bins->above += found.above;
  return {};
}

// Into the buffer, one after the other.
Result<void> CudaTransfer::gather_by_copies(std::span<const Address> from, std::size_t each, const Buffer& buffer) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (auto done = copy_rows({from[i], each, 1, each}, buffer.bytes + i * each, true); !done) return done;
  }
  return {};
}

// The addresses go to the first half of the scratch memory, by way of the buffer; the pieces come from the second.
Result<void> CudaTransfer::gather_by_kernel(std::span<const Address> from, std::size_t each, const Buffer& buffer) {
  const CudaEntries& e = driver_.entries();
  std::memcpy(buffer.bytes, from.data(), from.size_bytes());
  const Address pieces = scratch_ + scratch_bytes() / 2;
  if (const int error = e.copy_to_device(scratch_, buffer.bytes, from.size_bytes(), stream_))
    return driver_.failed("copying to " + device_name({2, ordinal_}), error);
  const kernels::Gather work{scratch_, pieces, from.size(), static_cast<std::uint32_t>(each)};
  if (auto put = (*kernels_)->gather(work, stream_); !put) return put;
  return copy_rows({pieces, from.size() * each, 1, from.size() * each}, buffer.bytes, true);
}

Result<void> CudaTransfer::gather(std::span<const Address> from, std::size_t each, std::byte* out, std::stop_token stop) {
  constexpr std::size_t kWorthAKernel = 16;  // pieces; fewer copies are put on the stream as fast
  if (each == 0) return {};
  if (each > sizes_.buffer_bytes) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (auto done = to_host({from[i], each, 1, each}, out + i * each, 0, stop); !done) return done;
    }
    return {};
  }
  const bool by_kernel = from.size() >= kWorthAKernel && std::max(each, sizeof(Address)) <= scratch_bytes() / 2 &&
                         kernels_problem().empty() && scratch().has_value();
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  const Buffer& buffer = ring_[0];
  const std::size_t at_once = by_kernel ? scratch_bytes() / 2 / std::max(each, sizeof(Address)) : sizes_.buffer_bytes / each;
  for (std::size_t first = 0; first < from.size(); first += at_once) {
    if (stop.stop_requested()) return cancelled();
    const auto some = from.subspan(first, std::min(at_once, from.size() - first));
    if (auto put = by_kernel ? gather_by_kernel(some, each, buffer) : gather_by_copies(some, each, buffer); !put) return put;
    if (auto done = record(buffer); !done) return done;
    if (auto done = wait(buffer); !done) return done;
    std::memcpy(out + first * each, buffer.bytes, some.size() * each);
  }
  running->finished();
  return {};
}

}  // namespace dlscope::core
