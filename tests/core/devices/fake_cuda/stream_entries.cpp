// The driver's functions of streams and events.
#include "enter.h"

using namespace fake_cuda;  // NOLINT: this file is the library's face

extern "C" {
int cuStreamCreate(void** handle, unsigned flags) {
  FAKE_ENTER_CONTEXT("cuStreamCreate");
  auto stream = std::make_unique<Stream>();
  stream->context = context;
  stream->flags = flags;
  *handle = stream.get();
  driver.streams[stream.get()] = std::move(stream);
  return kSuccess;
}

int cuStreamDestroy_v2(void* handle) {
  FAKE_ENTER_CONTEXT("cuStreamDestroy_v2");
  Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr || !driver.streams.contains(stream)) return kInvalidHandle;
  driver.run_all();
  for (const auto& [event, owner] : driver.events) {
    if (event->stream == stream) event->stream = nullptr;
  }
  driver.streams.erase(stream);
  return kSuccess;
}

int cuStreamSynchronize(void* handle) {
  FAKE_ENTER_CONTEXT("cuStreamSynchronize");
  Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr) return kInvalidHandle;
  Driver::run(*stream, stream->put);
  return kSuccess;
}

int cuStreamIsCapturing(void* handle, int* status) {
  FAKE_ENTER_CONTEXT("cuStreamIsCapturing");
  *status = 0;
  return driver.stream_of(handle, *context) != nullptr ? kSuccess : kInvalidHandle;
}

int cuStreamGetFlags(void* handle, unsigned* flags) {
  FAKE_ENTER_CONTEXT("cuStreamGetFlags");
  const Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr) return kInvalidHandle;
  *flags = stream->flags;
  return kSuccess;
}

// Nothing happens before somebody waits: asking is a way to wait.
int cuStreamQuery(void* handle) {
  FAKE_ENTER_CONTEXT("cuStreamQuery");
  Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr) return kInvalidHandle;
  if (stream->operations.empty()) return kSuccess;
  Driver::run(*stream, stream->done + 1);
  return kNotReady;
}

int cuStreamWaitEvent(void* handle, void* event_handle, unsigned) {
  FAKE_ENTER_CONTEXT("cuStreamWaitEvent");
  Stream* const stream = driver.stream_of(handle, *context);
  const auto event = driver.events.find(static_cast<Event*>(event_handle));
  if (stream == nullptr || event == driver.events.end()) return kInvalidHandle;
  Stream* const other = event->first->stream;
  const std::uint64_t after = event->first->after;
  if (other != nullptr) Driver::put(*stream, [=] { Driver::run(*other, after); });
  return kSuccess;
}

int cuEventCreate(void** handle, unsigned) {
  FAKE_ENTER_CONTEXT("cuEventCreate");
  auto event = std::make_unique<Event>();
  event->context = context;
  *handle = event.get();
  driver.events[event.get()] = std::move(event);
  return kSuccess;
}

int cuEventDestroy_v2(void* handle) {
  FAKE_ENTER_CONTEXT("cuEventDestroy_v2");
  return driver.events.erase(static_cast<Event*>(handle)) != 0 ? kSuccess : kInvalidHandle;
}

int cuEventRecord(void* handle, void* stream_handle) {
  FAKE_ENTER_CONTEXT("cuEventRecord");
  Stream* const stream = driver.stream_of(stream_handle, *context);
  const auto event = driver.events.find(static_cast<Event*>(handle));
  if (stream == nullptr || event == driver.events.end()) return kInvalidHandle;
  event->first->stream = stream;
  event->first->after = stream->put;
  return kSuccess;
}

int cuEventSynchronize(void* handle) {
  FAKE_ENTER_CONTEXT("cuEventSynchronize");
  const auto event = driver.events.find(static_cast<Event*>(handle));
  if (event == driver.events.end()) return kInvalidHandle;
  if (event->first->stream != nullptr) Driver::run(*event->first->stream, event->first->after);
  return kSuccess;
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  FAKE_ENTER("cuThreadExchangeStreamCaptureMode");
  thread_local int current = 0;
  std::swap(current, *mode);
  return kSuccess;
}

}  // extern "C"
