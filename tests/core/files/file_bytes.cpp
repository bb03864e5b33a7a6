#include "tests/core/files/file_bytes.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace dlscope::core::test {
namespace {

void put(Bytes& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
}

Bytes deflated(const Bytes& content) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
  Bytes out(deflateBound(&stream, content.size()) + 64, '\0');
  Bytes copy = content;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

Bytes npy_with_header(std::string header, const Bytes& data, int version) {
  const std::size_t front = version == 1 ? 10 : 12;
  while ((front + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  Bytes out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  put(out, header.size(), version == 1 ? 2 : 4);
  return out + header + data;
}

Bytes npy(std::string_view descr, std::string_view shape, const Bytes& data, bool fortran_order, int version) {
  return npy_with_header(
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran_order ? "True" : "False", shape), data,
      version);
}

Bytes safetensors(const std::string& json, const Bytes& data) {
  Bytes out;
  put(out, json.size(), 8);
  return out + json + data;
}

Bytes zip(const std::vector<ZipMember>& members, bool zip64) {
  Bytes out, directory;
  for (const ZipMember& member : members) {
    const Bytes packed = member.compressed ? deflated(member.content) : member.content;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(member.content.data()), static_cast<uInt>(member.content.size()));
    const std::uint64_t local = out.size();
    put(out, 0x04034b50, 4);
    put(out, 20, 2);
    put(out, 0, 2);
    put(out, member.compressed ? 8 : 0, 2);
    put(out, 0, 4);
    put(out, checksum, 4);
    put(out, packed.size(), 4);
    put(out, member.content.size(), 4);
    put(out, member.name.size(), 2);
    put(out, 0, 2);
    out += member.name + packed;
    Bytes extra;
    if (zip64) {
      put(extra, 1, 2);
      put(extra, 24, 2);
      put(extra, member.content.size(), 8);
      put(extra, packed.size(), 8);
      put(extra, local, 8);
    }
    put(directory, 0x02014b50, 4);
    put(directory, 45, 2);
    put(directory, 45, 2);
    put(directory, 0, 2);
    put(directory, member.compressed ? 8 : 0, 2);
    put(directory, 0, 4);
    put(directory, checksum, 4);
    put(directory, zip64 ? 0xffffffff : packed.size(), 4);
    put(directory, zip64 ? 0xffffffff : member.content.size(), 4);
    put(directory, member.name.size(), 2);
    put(directory, extra.size(), 2);
    put(directory, 0, 8);
    put(directory, 0, 2);
    put(directory, zip64 ? 0xffffffff : local, 4);
    directory += member.name + extra;
  }
  const std::uint64_t offset = out.size();
  out += directory;
  if (zip64) {
    const std::uint64_t end64 = out.size();
    put(out, 0x06064b50, 4);
    put(out, 44, 8);
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 8);
    put(out, members.size(), 8);
    put(out, members.size(), 8);
    put(out, directory.size(), 8);
    put(out, offset, 8);
    put(out, 0x07064b50, 4);
    put(out, 0, 4);
    put(out, end64, 8);
    put(out, 1, 4);
  }
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, zip64 ? 0xffff : members.size(), 2);
  put(out, zip64 ? 0xffff : members.size(), 2);
  put(out, directory.size(), 4);
  put(out, zip64 ? 0xffffffff : offset, 4);
  put(out, 0, 2);
  return out;
}

ReadBytes reading(const Bytes& bytes) {
  return [&bytes](std::uint64_t offset, std::uint64_t size) -> Result<std::vector<std::byte>> {
    if (offset > bytes.size() || size > bytes.size() - offset) return fail(ErrorKind::invalid, "it ends too early");
    const auto* const from = reinterpret_cast<const std::byte*>(bytes.data()) + offset;
    return std::vector<std::byte>(from, from + size);
  };
}

TemporaryFile::TemporaryFile(std::string_view suffix, const Bytes& content) {
  const char* const folder = std::getenv("TMPDIR");
  path_ = fmt::format("{}/dlscope-XXXXXX{}", folder != nullptr ? folder : "/tmp", suffix);
  const int file = ::mkstemps(path_.data(), static_cast<int>(suffix.size()));
  if (file < 0) throw std::runtime_error("mkstemps");
  ::close(file);
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

}  // namespace dlscope::core::test
