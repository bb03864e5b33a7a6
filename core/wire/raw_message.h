// RawMessage: an encoded message (core/wire/messages.h), as it is sent through a ring (core/wire/ring.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlscope::core::wire {

inline constexpr std::size_t kMaxMessageBytes = 4u << 20;  // payload of one message

struct RawMessage {
  std::uint16_t kind = 0;  // which message; numbered in core/wire/messages.h
  std::vector<std::byte> payload;
};

}  // namespace dlscope::core::wire
