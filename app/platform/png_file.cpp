#include "app/platform/png_file.h"

#include <png.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "app/files/output_file.h"

namespace dlscope::app {

core::Result<void> write_png(const Picture& picture, const std::string& path) {
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
  const bool whole = std::fclose(memory.release()) == 0;  // from here on `bytes` and `size` are good
  const std::unique_ptr<char, void (*)(void*)> owned(bytes, &std::free);
  if (!encoded) return failed(image.message);
  if (!whole) return failed("out of memory");
  return write_file(path, std::string_view(bytes, size), NewFile::as_usual, NoReader::wait);
}

}  // namespace dlscope::app
