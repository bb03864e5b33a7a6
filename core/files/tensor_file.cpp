#include "core/files/tensor_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/base/clock.h"
#include "core/files/npy_header.h"
#include "core/files/zip_archive.h"
#include "core/inventory/snapshot_builder.h"
#include "core/memory/available_memory.h"
#include "core/tensor/claimed_layout.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kKinds[] = {"npy", "npz", "safetensors"};

std::string_view kind_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string kind(path.substr(dot + 1));
  std::ranges::transform(kind, kind.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto* const found = std::ranges::find(kKinds, kind);
  return found == std::end(kKinds) ? std::string_view{} : *found;
}

std::string stem_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return std::string(path.substr(0, path.rfind('.')));
}

ReadBytes part_of(const MappedFile& file, std::uint64_t begin, std::uint64_t size) {
  return [&file, begin, size](std::uint64_t offset, std::uint64_t bytes) -> Result<std::vector<std::byte>> {
    if (offset > size || bytes > size - offset) return fail(ErrorKind::invalid, "it ends too early");
    return file.read(begin + offset, bytes);
  };
}

// The content of a deflated entry, of which only what is read is unpacked, each time from its start.
ReadBytes start_of(const ZipEntry& entry, const ReadBytes& archive) {
  return [&entry, &archive](std::uint64_t offset, std::uint64_t bytes) -> Result<std::vector<std::byte>> {
    if (offset > entry.bytes || bytes > entry.bytes - offset) return fail(ErrorKind::invalid, "it ends too early");
    auto start = unpack_zip_start(entry, archive, offset + bytes);
    if (!start) return start;
    if (start->size() < offset + bytes) return fail(ErrorKind::invalid, "it ends too early");
    start->erase(start->begin(), start->begin() + static_cast<std::ptrdiff_t>(offset));
    return start;
  };
}

bool is_packed_array(const ZipEntry& entry) {
  return entry.name.ends_with(".npy") && entry.method == ZipMethod::deflated && !entry.encrypted;
}

Layout layout_of(const NpyHeader& header, std::uint32_t bits) {
  Layout layout = Layout::c_order(header.shape, bits);
  if (!header.fortran_order) return layout;
  std::vector<std::int64_t> reversed(header.shape.rbegin(), header.shape.rend());
  layout.stride_bits = Layout::c_order(std::move(reversed), bits).stride_bits;
  std::ranges::reverse(layout.stride_bits);
  return layout;
}

TensorDesc desc_of(const FileTensor& tensor) {
  TensorDesc desc;
  desc.clear();
  if (!tensor.why_not.empty()) return desc;
  desc.protocol = Protocol::file;
  desc.has_metadata = desc.has_layout = true;
  desc.read_only = Tri::yes;
  desc.is_copied = tensor.unpacked ? Tri::yes : Tri::no;
  desc.subbyte_padded = Tri::no;
  desc.dtype = tensor.dtype;
  desc.item_type = tensor.item;
  if (tensor.item)
    desc.remark(RemarkCode::not_dlpack,
                fmt::format("no consumer of DLPack can have it: DLPack has no dtype for {}", tensor.item->name));
  else if (!dtype_is_known(tensor.dtype))
    desc.remark(RemarkCode::dtype_unknown, dtype_name(tensor.dtype));
  desc.device = kCpuDevice;
  desc.data = tensor.address;
  desc.rank = static_cast<std::int32_t>(tensor.layout.shape.size());
  std::ranges::copy(tensor.layout.shape, desc.shape.begin());
  std::ranges::copy(tensor.layout.stride_bits, desc.stride_bits.begin());
  static_cast<void>(check_layout(tensor.layout, desc.bounds));
  static_cast<void>(find_extent(desc.bounds, desc.data, desc.extent));
  if (desc.bounds.elements > 0) claimed::note_placement(desc, true);
  return desc;
}

}  // namespace

bool is_tensor_file(std::string_view path) { return !kind_of(path).empty(); }

std::uint64_t most_unpacked_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  const std::uint64_t physical = pages * static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 0L));
  return std::min(physical, available_memory().value_or(physical)) / 2;
}

struct TensorFile::Unpacking {
  std::stop_token stop;
  UnpackProgress progress;
  std::uint64_t left = 0;             // bytes that may still be unpacked
  std::uint64_t done = 0, total = 0;  // bytes of the compressed arrays
};

Result<TensorFile> TensorFile::open(const std::string& path, const std::stop_token& stop, std::uint64_t most_unpacked,
                                    const UnpackProgress& progress) {
  const auto with_path = [&](const Error& error) { return fail(error.kind, path + ": " + error.message); };
  auto file = MappedFile::open(path);
  if (!file) return with_path(file.error());
  TensorFile out(std::move(*file));
  out.kind_ = kind_of(path);
  Result<void> added;
  if (out.kind_ == "npy") added = out.add_npy(path);
  if (out.kind_ == "npz") added = out.add_npz({.stop = stop, .progress = progress, .left = most_unpacked});
  if (out.kind_ == "safetensors") added = out.add_safetensors();
  if (!added) return with_path(added.error());
  return out;
}

Result<void> TensorFile::add_npy(const std::string& path) {
  const auto header = read_npy_header(part_of(file_, 0, file_.size()));
  if (!header) return std::unexpected(header.error());
  if (!header->type.dtype) return fail(ErrorKind::unsupported, header->type.why_not);
  return add_array(stem_of(path), *header, file_.address(), file_.size(), false);
}

// base: address of the whole .npy file, which has `size` bytes.
Result<void> TensorFile::add_array(std::string name, const NpyHeader& header, Address base, std::uint64_t size, bool unpacked) {
  FileTensor tensor;
  tensor.name = std::move(name);
  tensor.unpacked = unpacked;
  if (header.type.dtype) {
    tensor.dtype = *header.type.dtype;
    tensor.item = header.type.item;
    tensor.layout = layout_of(header, tensor.dtype.item_bits());
    tensor.address = base + header.data_offset;
    LayoutBounds bounds;
    if (check_layout(tensor.layout, bounds) != LayoutFault::none)
      return fail(ErrorKind::invalid, fmt::format("'{:.80}' claims a shape larger than any memory", tensor.name));
    const std::uint64_t bytes = bounds.elements * (tensor.dtype.item_bits() / 8);
    if (bytes > size - header.data_offset)
      return fail(ErrorKind::invalid,
                  fmt::format("'{:.80}' needs {} bytes, and {} are there", tensor.name, bytes, size - header.data_offset));
  } else {
    tensor.why_not = header.type.why_not;
  }
  tensors_.push_back(std::move(tensor));
  return {};
}

Result<void> TensorFile::add_npz(Unpacking unpacking) {
  const ReadBytes whole = part_of(file_, 0, file_.size());
  const auto entries = read_zip_directory(file_.size(), whole);
  if (!entries) return std::unexpected(entries.error());
  for (const ZipEntry& entry : *entries) unpacking.total += is_packed_array(entry) ? entry.bytes : 0;
  std::vector<Error> broken;
  for (const ZipEntry& entry : *entries) {
    if (!entry.name.ends_with(".npy")) continue;
    std::string name = entry.name.substr(0, entry.name.size() - 4);
    if (entry.encrypted) {
      refuse(std::move(name), "it is encrypted");
    } else if (entry.method == ZipMethod::other) {
      refuse(std::move(name), "it is compressed in a way that dlscope does not know");
    } else if (auto added = add_npz_entry(name, entry, whole, unpacking); !added) {
      if (added.error().kind == ErrorKind::cancelled) return added;
      broken.emplace_back(added.error().kind, fmt::format("'{:.80}': {}", entry.name, added.error().message));
      refuse(std::move(name), std::move(added.error().message));
    }
    if (is_packed_array(entry)) unpacking.done += entry.bytes;
  }
  if (tensors_.empty()) return fail(ErrorKind::invalid, "there is no array in it");
  if (broken.size() == tensors_.size()) return std::unexpected(broken.front());
  return {};
}

Result<void> TensorFile::add_npz_entry(std::string name, const ZipEntry& entry, const ReadBytes& whole, Unpacking& unpacking) {
  const bool is_packed = entry.method == ZipMethod::deflated;
  if (is_packed && entry.bytes > unpacking.left) {
    refuse(std::move(name), fmt::format("unpacked it takes {} bytes, and dlscope uses at most half of the available memory for that",
                                        entry.bytes));
    return {};
  }
  // The header first: an array that cannot be shown is not unpacked.
  const auto header =
      read_npy_header(is_packed ? start_of(entry, whole) : part_of(file_, entry.data_offset, entry.packed_bytes));
  if (!header) return std::unexpected(header.error());
  if (!is_packed) return add_array(std::move(name), *header, file_.address() + entry.data_offset, entry.bytes, false);
  if (!header->type.dtype) {
    refuse(std::move(name), header->type.why_not);
    return {};
  }
  auto memory = UnpackedMemory::create(entry.bytes);
  if (!memory) return std::unexpected(memory.error());
  const auto report = [&](std::uint64_t bytes) {
    if (unpacking.progress) unpacking.progress(unpacking.done + bytes, unpacking.total);
  };
  if (const auto done = unpack_zip_entry(entry, whole, memory->bytes(), unpacking.stop, report); !done)
    return std::unexpected(done.error());
  if (auto added = add_array(std::move(name), *header, memory->address(), entry.bytes, true); !added) return added;
  unpacking.left -= entry.bytes;
  unpacked_.push_back(std::move(*memory));
  return {};
}

void TensorFile::refuse(std::string name, std::string why_not) {
  FileTensor& refused = tensors_.emplace_back();
  refused.name = std::move(name);
  refused.why_not = std::move(why_not);
}

std::uint64_t TensorFile::unpacked_bytes() const {
  std::uint64_t bytes = 0;
  for (const UnpackedMemory& memory : unpacked_) bytes += memory.bytes().size();
  return bytes;
}

Result<void> TensorFile::add_safetensors() {
  auto header = read_safetensors_header(file_.size(), part_of(file_, 0, file_.size()));
  if (!header) return std::unexpected(header.error());
  metadata_ = std::move(header->metadata);
  for (const SafetensorsEntry& entry : header->tensors) {
    FileTensor tensor;
    tensor.name = entry.name;
    if (entry.type.dtype) {
      tensor.dtype = *entry.type.dtype;
      tensor.layout = Layout::c_order(entry.shape, tensor.dtype.bits);
      tensor.address = file_.address() + entry.offset;
    } else {
      tensor.why_not = entry.type.why_not;
    }
    tensors_.push_back(std::move(tensor));
  }
  return {};
}

SnapshotPtr snapshot_of(const TensorFile& file, StatisticsMethod statistics, const std::stop_token& stop) {
  SnapshotBuilder builder;
  builder.info().taken_ns = monotonic_ns();
  builder.info().scanned = Scanned::end;
  const TextRef library = builder.intern("file"), type = builder.intern(file.kind());
  for (const FileTensor& tensor : file.tensors()) {
    const std::uint32_t id = builder.add_tensor(desc_of(tensor), library, type, builder.add_text(tensor.name));
    if (!tensor.why_not.empty()) builder.add_refusal(id, Protocol::file, "dlscope.Unsupported", tensor.why_not);
  }
  const auto reader = process_reader(0);
  const auto map = AddressMap::load(0);
  AnalyseOptions options;
  options.reader = reader ? reader->get() : nullptr;
  options.map = map ? &*map : nullptr;
  if (!map) options.map_problem = map.error().message;
  options.statistics = statistics;
  options.sharing.stop = options.sharing.budget.stop = stop;
  builder.analyse(options);
  return builder.finish();
}

}  // namespace dlscope::core
