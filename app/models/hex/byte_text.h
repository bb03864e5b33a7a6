// Bytes as text to paste elsewhere. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dlscope::app {

enum class ByteFormat : std::uint8_t { hex, c, python };
inline constexpr ByteFormat kByteFormats[] = {ByteFormat::hex, ByteFormat::c, ByteFormat::python};
[[nodiscard]] const char* byte_format_name(ByteFormat format);  // "hex"
inline constexpr std::uint64_t kMaxBytesCopied = std::uint64_t{1} << 20;

// "de ad be ef" (16 on a line), "{0xde, 0xad}", "b'\xde\xad'" as Python's repr writes it.
[[nodiscard]] std::string bytes_text(std::span<const std::byte> bytes, ByteFormat format);

}  // namespace dlscope::app
