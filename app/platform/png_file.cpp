#include "app/platform/png_file.h"

#include <fmt/format.h>
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace dlscope::app {

core::Result<void> write_png(const Picture& picture, const std::string& path) {
  const auto failed = [&path](const std::string& why) {
    return core::fail(core::ErrorKind::environment, fmt::format("Cannot write the picture {}: {}.", path, why));
  };
  const std::string beside = fmt::format("{}.{}.part", path, ::getpid());
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(beside.c_str(), "wbxe"), &std::fclose);
  if (!file) return failed(std::strerror(errno));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  const bool encoded = png_image_write_to_stdio(&image, file.get(), 0, picture.rgba.data(), 0, nullptr) != 0;
  const bool flushed = std::fclose(file.release()) == 0;
  const std::string why = encoded ? std::strerror(errno) : image.message;
  if (encoded && flushed && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  const std::string reason = encoded && flushed ? std::strerror(errno) : why;
  std::remove(beside.c_str());
  return failed(reason);
}

}  // namespace dlscope::app
