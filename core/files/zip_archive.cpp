#include "core/files/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace dlscope::core {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50, kEntryMark = 0x02014b50,
                        kLocalMark = 0x04034b50;
constexpr std::uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kEntryBytes = 46, kLocalBytes = 30;
constexpr std::uint64_t kMaxComment = 0xffff, kMaxDirectory = std::uint64_t{64} << 20;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;  // packed bytes read at a time
constexpr std::uint64_t kMaxRatio = 1040;                // deflate expands one byte to at most 1032

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorKind::invalid, fmt::format("it is not a readable zip archive: {}", what));
}

// Reads little-endian numbers; the bytes must hold them.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(bytes_[at + i]);
    return value;
  }
  [[nodiscard]] std::uint64_t u16(std::size_t at) const { return number(at, 2); }
  [[nodiscard]] std::uint64_t u32(std::size_t at) const { return number(at, 4); }
  [[nodiscard]] std::uint64_t u64(std::size_t at) const { return number(at, 8); }

 private:
  std::span<const std::byte> bytes_;
};

struct Directory {
  std::uint64_t offset = 0, bytes = 0, entries = 0;
};

Result<Directory> find_directory(std::uint64_t archive, const ReadBytes& read) {
  if (archive < kEndBytes) return malformed("it is too short");
  const std::uint64_t tail = std::min(archive, kEndBytes + kMaxComment + kLocatorBytes);
  const auto bytes = read(archive - tail, tail);
  if (!bytes) return std::unexpected(bytes.error());
  const Fields fields(*bytes);
  std::optional<std::size_t> end;
  for (std::size_t at = tail - kEndBytes + 1; at-- > 0;) {
    if (fields.u32(at) != kEndMark || at + kEndBytes + fields.u16(at + 20) != tail) continue;
    end = at;
    break;
  }
  if (!end) return malformed("it has no directory");
  Directory found{fields.u32(*end + 16), fields.u32(*end + 12), fields.u16(*end + 10)};
  const bool is_long = found.offset == 0xffff'ffff || found.bytes == 0xffff'ffff || found.entries == 0xffff;
  if (is_long && *end >= kLocatorBytes && fields.u32(*end - kLocatorBytes) == kLocator64Mark) {
    const std::uint64_t at = fields.u64(*end - kLocatorBytes + 8);
    const auto wide = read(at, kEnd64Bytes);
    if (!wide) return std::unexpected(wide.error());
    const Fields end64(*wide);
    if (end64.u32(0) != kEnd64Mark) return malformed("it has no directory");
    found = {end64.u64(48), end64.u64(40), end64.u64(32)};
  }
  if (found.bytes > kMaxDirectory || found.offset > archive || found.bytes > archive - found.offset)
    return malformed("its directory is beyond the end of the file");
  return found;
}

// zip64: sizes and offset that do not fit 32 bits are in an extra field, in this order.
bool read_wide_sizes(const Fields& all, std::size_t extra, std::size_t extra_end, ZipEntry& entry, std::uint64_t& local) {
  const bool any = entry.bytes == 0xffff'ffff || entry.packed_bytes == 0xffff'ffff || local == 0xffff'ffff;
  if (!any) return true;
  while (extra + 4 <= extra_end) {
    const std::uint64_t id = all.u16(extra), size = all.u16(extra + 2);
    if (extra + 4 + size > extra_end) return false;
    if (id == 1) {
      std::size_t at = extra + 4;
      const std::size_t end = at + size;
      for (std::uint64_t* const field : {&entry.bytes, &entry.packed_bytes, &local}) {
        if (*field != 0xffff'ffff) continue;
        if (at + 8 > end) return false;
        *field = all.u64(at);
        at += 8;
      }
      return true;
    }
    extra += 4 + size;
  }
  return false;
}

// The start of the content is known only from the local header in front of it.
Result<void> find_content(std::uint64_t local, std::uint64_t archive, const ReadBytes& read, ZipEntry& entry) {
  const auto bytes = read(local, kLocalBytes);
  if (!bytes) return malformed(fmt::format("'{:.80}' lies outside it", entry.name));
  const Fields fields(*bytes);
  if (fields.u32(0) != kLocalMark) return malformed(fmt::format("'{:.80}' is not where the directory says", entry.name));
  entry.data_offset = local + kLocalBytes + fields.u16(26) + fields.u16(28);
  if (entry.data_offset > archive || entry.packed_bytes > archive - entry.data_offset)
    return malformed(fmt::format("'{:.80}' is beyond the end of the file", entry.name));
  if (entry.method == ZipMethod::stored && entry.packed_bytes != entry.bytes)
    return malformed(fmt::format("'{:.80}' is not compressed and has two sizes", entry.name));
  if (entry.bytes / kMaxRatio > entry.packed_bytes)
    return malformed(fmt::format("'{:.80}' cannot unpack to its size", entry.name));
  return {};
}

Result<void> check_apart(std::vector<ZipEntry> entries) {
  std::ranges::sort(entries, {}, &ZipEntry::data_offset);
  std::uint64_t end = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.packed_bytes != 0 && entry.data_offset < end)
      return malformed(fmt::format("'{:.80}' has bytes of another file", entry.name));
    end = std::max(end, entry.data_offset + entry.packed_bytes);
  }
  return {};
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// Inflates an entry from its start, as much of it as is asked for. Refers to the entry and to `read`.
class Inflater {
 public:
  Inflater(const ZipEntry& entry, const ReadBytes& read) : entry_(entry), read_(read) {}
  Inflater(const Inflater&) = delete;  // zlib keeps the address of its state
  Inflater& operator=(const Inflater&) = delete;

  // Writes the next bytes. Returns how many: fewer than `out` has room for only at the end of the content.
  [[nodiscard]] Result<std::size_t> next(std::span<std::byte> out) {
    if (!stream_) {
      if (inflateInit2(&state_, -MAX_WBITS) != Z_OK) return fail(ErrorKind::environment, "zlib is out of memory");
      stream_.reset(&state_);
    }
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      if (auto more = take_piece(); !more) return std::unexpected(more.error());
      const std::size_t room = std::min<std::size_t>(kPiece, out.size() - done);
      state_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      state_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&state_, Z_NO_FLUSH);
      // Z_BUF_ERROR: there is nothing left to read, and zlib held nothing back. It may do so: a repetition that goes on beyond the room
      // of the call before, and the bits that end the content.
      if (status != Z_OK && status != Z_STREAM_END) return broken();
      done += room - state_.avail_out;
      ended_ = status == Z_STREAM_END;
    }
    return done;
  }
  [[nodiscard]] std::unexpected<Error> broken() const {
    return fail(ErrorKind::invalid, fmt::format("its {} compressed bytes cannot be unpacked: they are damaged", entry_.packed_bytes));
  }

 private:
  // Packed bytes for zlib, if it has none left and there are any.
  [[nodiscard]] Result<void> take_piece() {
    if (state_.avail_in != 0) return {};
    const std::uint64_t size = std::min(kPiece, entry_.packed_bytes - packed_);
    if (size == 0) return {};
    auto piece = read_(entry_.data_offset + packed_, size);
    if (!piece) return std::unexpected(piece.error());
    piece_ = std::move(*piece);
    packed_ += size;
    state_.next_in = reinterpret_cast<Bytef*>(piece_.data());
    state_.avail_in = static_cast<uInt>(size);
    return {};
  }

  const ZipEntry& entry_;
  const ReadBytes& read_;
  z_stream state_{};
  std::unique_ptr<z_stream, EndInflate> stream_;  // state_, once zlib has set it up
  std::vector<std::byte> piece_;
  std::uint64_t packed_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<std::vector<ZipEntry>> read_zip_directory(std::uint64_t archive_bytes, const ReadBytes& read) {
  const auto directory = find_directory(archive_bytes, read);
  if (!directory) return std::unexpected(directory.error());
  const auto bytes = read(directory->offset, directory->bytes);
  if (!bytes) return std::unexpected(bytes.error());
  const Fields fields(*bytes);
  std::vector<ZipEntry> entries;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (at + kEntryBytes > bytes->size() || fields.u32(at) != kEntryMark) return malformed("its directory is cut off");
    const std::size_t name = at + kEntryBytes, extra = name + fields.u16(at + 28), comment = extra + fields.u16(at + 30),
                      next = comment + fields.u16(at + 32);
    if (next > bytes->size()) return malformed("its directory is cut off");
    ZipEntry entry;
    entry.name.assign(reinterpret_cast<const char*>(bytes->data()) + name, extra - name);
    entry.encrypted = (fields.u16(at + 8) & 1) != 0;
    const std::uint64_t method = fields.u16(at + 10);
    entry.method = method == 0 ? ZipMethod::stored : method == 8 ? ZipMethod::deflated : ZipMethod::other;
    entry.checksum = static_cast<std::uint32_t>(fields.u32(at + 16));
    entry.packed_bytes = fields.u32(at + 20);
    entry.bytes = fields.u32(at + 24);
    std::uint64_t local = fields.u32(at + 42);
    if (!read_wide_sizes(fields, extra, comment, entry, local)) return malformed("its directory lacks a size");
    if (const auto found = find_content(local, archive_bytes, read, entry); !found) return std::unexpected(found.error());
    entries.push_back(std::move(entry));
    at = next;
  }
  if (const auto apart = check_apart(entries); !apart) return std::unexpected(apart.error());
  return entries;
}

Result<void> unpack_zip_entry(const ZipEntry& entry, const ReadBytes& read, std::span<std::byte> out,
                              const std::stop_token& stop, const std::function<void(std::uint64_t)>& unpacked) {
  Inflater inflater(entry, read);
  uLong checksum = crc32(0, nullptr, 0);
  for (std::size_t done = 0; done < out.size();) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped while it was unpacked");
    const std::span piece = out.subspan(done, std::min<std::size_t>(kPiece, out.size() - done));
    const auto made = inflater.next(piece);
    if (!made) return std::unexpected(made.error());
    if (*made < piece.size()) return inflater.broken();
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    done += piece.size();
    if (unpacked) unpacked(done);
  }
  std::byte beyond{};  // content that is longer than its size would have it
  const auto more = inflater.next({&beyond, 1});
  if (!more) return std::unexpected(more.error());
  if (*more != 0 || static_cast<std::uint32_t>(checksum) != entry.checksum) return inflater.broken();
  return {};
}

Result<std::vector<std::byte>> unpack_zip_start(const ZipEntry& entry, const ReadBytes& read, std::uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  Inflater inflater(entry, read);
  const auto made = inflater.next(out);
  if (!made) return std::unexpected(made.error());
  out.resize(*made);
  return out;
}

}  // namespace dlscope::core
