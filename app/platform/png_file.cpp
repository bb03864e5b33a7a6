#include "app/platform/png_file.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "app/files/output_file.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kFront = 8 + 25;  // bytes before the text chunks: the signature and the chunk IHDR
constexpr std::size_t kMaxKeyword = 79;

void append_big_endian(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
}

// tEXt for ASCII text, else iTXt, which is UTF-8.
std::string text_chunk(const std::string& keyword, std::string text) {
  std::erase(text, '\0');
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string body = (ascii ? "tEXt" : "iTXt") + keyword.substr(0, kMaxKeyword) + '\0';
  if (!ascii) body.append(4, '\0');  // not compressed, no language, no translated keyword
  body += text;
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(body.size() - 4));
  chunk += body;
  append_big_endian(
      chunk, static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
  return chunk;
}

}  // namespace

core::Result<void> write_png(const Picture& picture, const std::string& path, const PictureText& text) {
  const auto failed = [](const char* why) {
    return core::fail(core::ErrorKind::environment, std::string("The picture could not be encoded: ") + why);
  };
  char* bytes = nullptr;
  std::size_t size = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> memory(::open_memstream(&bytes, &size), &std::fclose);
  if (!memory) return failed(std::strerror(errno));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  const bool encoded = png_image_write_to_stdio(&image, memory.get(), 0, picture.rgba.data(), 0, nullptr) != 0;
  const bool whole = std::fclose(memory.release()) == 0;  // `bytes` and `size` are set by fclose()
  const std::unique_ptr<char, void (*)(void*)> owned(bytes, &std::free);
  if (!encoded) return failed(image.message);
  if (!whole) return failed("out of memory");
  std::string file(bytes, size);
  std::string chunks;
  for (const auto& [keyword, said] : text) chunks += text_chunk(keyword, said);
  file.insert(std::min(kFront, size), chunks);
  return write_file(path, file, NewFile::as_usual, NoReader::wait);
}

}  // namespace dlscope::app
