// DeviceReader: reads the memory of a CUDA device that the host process uses. Only that process can read it, so every read is a
// request to it.
// thread: those that `ask` may be called on.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/memory/memory_reader.h"
#include "core/wire/work.h"

namespace dlscope::app {

class DeviceReader final : public core::MemoryReader {
 public:
  // Blocks until the host has answered; nullopt: it will not answer.
  using Ask = std::function<std::optional<core::wire::DeviceBytes>(core::wire::ReadDevice)>;
  DeviceReader(std::int32_t ordinal, Ask ask) : ordinal_(ordinal), ask_(std::move(ask)) {}

  std::size_t read(core::Address from, std::span<std::byte> out) const override;
  void probe(std::span<const core::Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] std::string problem() const override;  // the driver's error message

 private:
  // nullopt unless the answer has the requested size: the host is not trusted.
  [[nodiscard]] std::optional<core::wire::DeviceBytes> ask(std::span<const core::Address> addresses, std::size_t each) const;

  std::int32_t ordinal_;
  Ask ask_;
  mutable std::mutex mutex_;  // problem_
  mutable std::string problem_;
};

}  // namespace dlscope::app
