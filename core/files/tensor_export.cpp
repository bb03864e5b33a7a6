#include "core/files/tensor_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/elements/memory_order.h"
#include "core/files/csv_text.h"
#include "core/files/npy_descr.h"
#include "core/files/safetensors_header.h"
#include "core/files/written_values.h"
#include "core/tensor/item_number.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kMetadata = "__metadata__";  // what a .safetensors file says of itself

constexpr std::uint64_t kBytesAtOnce = std::uint64_t{256} << 10;

std::string descr_of(const ExportedTensor& tensor) {
  return tensor.item != nullptr ? npy_descr(*tensor.item) : npy_descr(tensor.dtype);
}

std::string npy_header(const ExportedTensor& tensor) {
  std::string shape;
  for (const std::int64_t n : tensor.layout.shape) shape += fmt::format("{}, ", n);
  if (tensor.layout.shape.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.layout.shape.size() == 1) shape.pop_back();
  const std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr_of(tensor), shape);
  // Magic, version and length precede the header; the elements begin at a multiple of 64 bytes.
  constexpr std::size_t kFront = 10;
  const std::size_t all = (kFront + text.size() + 1 + 63) / 64 * 64;
  const std::size_t length = all - kFront;
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(length & 0xff);
  out += static_cast<char>(length >> 8);
  out += text;
  out.append(all - out.size() - 1, ' ');
  return out + '\n';
}

std::string safetensors_header(const ExportedTensor& tensor, std::uint64_t bytes) {
  using Json = nlohmann::json;
  const std::string name = Json(tensor.name).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text = fmt::format(R"({{{}:{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})", name,
                                 safetensors_dtype(tensor.dtype), fmt::join(tensor.layout.shape, ","), bytes);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string out;
  for (unsigned byte = 0; byte < 8; ++byte) out += static_cast<char>(std::uint64_t{text.size()} >> (8 * byte) & 0xff);
  return out + text;
}

// Memory places in C order of the elements, and the lowest address.
struct COrder {
  AffineAxes bits;
  Address base = 0;

  COrder(const ExportedTensor& tensor, LayoutView layout) {
    std::int64_t lowest = 0;
    for (std::size_t d = layout.shape.size(); d-- > 0;) {
      const std::int64_t n = layout.shape[d], stride = layout.stride_bits[d];
      if (n <= 1) continue;
      lowest += std::min<std::int64_t>(0, stride * (n - 1));
      const auto step = static_cast<std::uint64_t>(n);
      std::int64_t span = 0;
      if (!bits.axes.empty() &&
          !__builtin_mul_overflow(bits.axes.back().step, static_cast<std::int64_t>(bits.axes.back().count), &span) &&
          span == stride)
        bits.axes.back().count *= step;
      else
        bits.axes.push_back({stride, step});
    }
    base = tensor.address + static_cast<std::uint64_t>(lowest >> 3);
    bits.origin = tensor.first_bit - (lowest >> 3) * 8;
  }
};

std::uint64_t elements_of(LayoutView layout) {
  std::uint64_t all = 1;
  for (const std::int64_t n : layout.shape) all *= static_cast<std::uint64_t>(n);
  return all;
}

CsvType csv_type_of(const ExportedTensor& tensor) {
  if (tensor.item == nullptr) return {dtype_name(tensor.dtype), tensor.dtype};
  if (const auto number = number_in(*tensor.item)) return {tensor.item->name, number->dtype};
  return {tensor.item->name, {}, tensor.item};
}

// Text is made of numbers in this machine's byte order; .npy keeps the bytes.
ElementSource source_of(const ExportedTensor& tensor, TensorFileFormat format) {
  ElementSource source = tensor.source;
  if (format != TensorFileFormat::csv || tensor.item == nullptr) return source;
  if (const auto number = number_in(*tensor.item)) source.reversed_bytes = number->reversed_bytes;
  return source;
}

std::string why_too_much_text(const ExportedTensor& tensor) {
  const std::uint64_t bytes = csv_bytes_at_most(csv_type_of(tensor), tensor.layout);
  if (bytes <= kMaxCsvBytes) return {};
  return fmt::format(
      "as .csv it would be up to {:.0f} GiB of text, more than the {} GiB that are written: export a slice of it, or another "
      "format",
      static_cast<double>(bytes) / (std::uint64_t{1} << 30), kMaxCsvBytes >> 30);
}

std::string why_not_as_text(const ItemType& item) {
  if (item.fields.empty() || item.fields.size() >= kMaxItemFields)
    return fmt::format("not all fields of {} are known", item.name);
  if (std::ranges::any_of(item.fields, [](const ItemField& field) { return field.layout.kind == ItemKind::object; }))
    return fmt::format("{} has Python objects: their addresses would mean nothing in a file", item.name);
  return {};
}

// The numbers of a tensor where several of them share a byte, or where NumPy keeps such a one in a byte of its own.
std::optional<DType> packed_numbers(const ExportedTensor& tensor) {
  if (tensor.item == nullptr) return dtype_is_known(tensor.dtype) && is_packed(tensor.dtype) ? std::optional(tensor.dtype) : std::nullopt;
  const auto number = tensor.layout.item_bits == tensor.item->bytes * 8U ? number_in(*tensor.item) : std::nullopt;
  return number && is_packed(number->dtype) ? std::optional(number->dtype) : std::nullopt;
}

DType lane_of(DType dtype) { return {dtype.code, dtype.bits, 1}; }

// How a tensor is read and what is said of it in the file.
struct Plan {
  std::optional<DType> packed;  // one lane
  Layout read;
  std::vector<std::int64_t> shape;
  ExportedTensor said;  // borrows `shape`
  unsigned value_bits = 0;

  Plan(const ExportedTensor& tensor, TensorFileFormat format) : packed(packed_numbers(tensor)), said(tensor) {
    value_bits = tensor.item != nullptr ? tensor.item->bytes * 8U : tensor.dtype.bits;
    read = with_lanes_as_axis(packed.value_or(DType{}), tensor.layout);
    shape = written_shape(packed.value_or(DType{}), read);
    said.layout.shape = shape;
    if (!packed) return;
    packed = lane_of(*packed);
    said.dtype = written_dtype(*packed, format);
    if (format != TensorFileFormat::csv) said.item = nullptr;
  }
  Plan(const Plan&) = delete;

  [[nodiscard]] std::uint64_t written_bytes() const {
    const std::uint64_t values = elements_of(read);
    return packed ? values * said.dtype.bits / 8 : values * ((value_bits + 7U) / 8);
  }
};

std::string why_packed_not_exportable(const ExportedTensor& tensor, DType dtype, TensorFileFormat format) {
  const std::uint32_t item_bits = tensor.item != nullptr ? tensor.item->bytes * 8U : dtype.item_bits();
  const bool has_own_bytes = dtype.lanes == 1 && tensor.layout.item_bits == 8;
  if (tensor.layout.item_bits != item_bits && !has_own_bytes)
    return fmt::format("what its elements are is not known well enough to write them: {}", dtype_name(dtype));
  if (format == TensorFileFormat::csv) return why_too_much_text(Plan(tensor, format).said);
  if (format == TensorFileFormat::npy) return {};
  const std::string name = dtype_name(lane_of(dtype));
  const bool fits_text = why_too_much_text(Plan(tensor, TensorFileFormat::csv).said).empty();
  const std::string others =
      fmt::format("; .npy can have them as {}{}", dtype_name(written_dtype(lane_of(dtype), TensorFileFormat::npy)),
                  fits_text ? ", and .csv as text" : "");
  if (safetensors_dtype(lane_of(dtype)).empty()) return fmt::format(".safetensors has no dtype {}{}", name, others);
  const unsigned together = 8 / std::gcd(8U, unsigned{dtype.bits});  // fill whole bytes, which is all that the format has
  const std::uint64_t values = elements_of(tensor.layout) * dtype.lanes;
  if (values % together == 0) return {};
  return fmt::format(".safetensors has {} {} in {}, and {} of them do not fill whole bytes{}", together == 2 ? "two" : "four", name,
                     together == 2 ? "a byte" : "three bytes", values, others);
}

std::string why_item_not_exportable(const ExportedTensor& tensor, TensorFileFormat format) {
  const ItemType& item = *tensor.item;
  const std::string why_no_text = why_not_as_text(item);
  if (format == TensorFileFormat::csv) return why_no_text.empty() ? why_too_much_text(tensor) : why_no_text;
  const bool fits_npy = !descr_of(tensor).empty();
  const bool fits_text = why_no_text.empty() && why_too_much_text(tensor).empty();
  const char* const other = fits_npy ? "; .npy has it" : fits_text ? "; as .csv it can be written" : "";
  if (format == TensorFileFormat::safetensors) return fmt::format(".safetensors has no dtype {}{}", item.name, other);
  if (fits_npy) return {};
  return fmt::format(".npy cannot hold {} as it is{}", item.name, other);
}

}  // namespace

const char* file_extension(TensorFileFormat format) {
  switch (format) {
    case TensorFileFormat::npy:
      return "npy";
    case TensorFileFormat::safetensors:
      return "safetensors";
    case TensorFileFormat::csv:
      break;
  }
  return "csv";
}

std::string why_not_exportable(const ExportedTensor& tensor, TensorFileFormat format) {
  const std::string name = tensor.item != nullptr ? tensor.item->name : dtype_name(tensor.dtype);
  if (format == TensorFileFormat::safetensors && tensor.name == kMetadata)
    return fmt::format("a tensor of a .safetensors file cannot be named {}", kMetadata);
  if (const auto packed = packed_numbers(tensor)) return why_packed_not_exportable(tensor, *packed, format);
  if (tensor.item != nullptr && tensor.layout.item_bits == tensor.item->bytes * 8U)
    return why_item_not_exportable(tensor, format);
  if (!dtype_is_known(tensor.dtype) || tensor.layout.item_bits != tensor.dtype.item_bits())
    return fmt::format("what its elements are is not known well enough to write them: {}", name);
  if (tensor.dtype.lanes != 1) return fmt::format(".{} has no vector elements ({})", file_extension(format), name);
  if (format == TensorFileFormat::csv) return why_too_much_text(tensor);
  if (tensor.dtype.bits % 8 != 0)
    return fmt::format(".{} is not written with elements of {} bits ({})", file_extension(format), tensor.dtype.bits, name);
  const bool fits_npy = !descr_of(tensor).empty();
  const bool fits_safetensors = !safetensors_dtype(tensor.dtype).empty() && tensor.name != kMetadata;
  if (format == TensorFileFormat::npy ? fits_npy : fits_safetensors) return {};
  const char* const other = fits_npy                            ? "; .npy has it"
                            : fits_safetensors                  ? "; .safetensors has it"
                            : why_too_much_text(tensor).empty() ? "; as .csv it can be written"
                                                                : "";
  return fmt::format(".{} has no dtype {}{}", file_extension(format), name, other);
}

std::string written_instead(const ExportedTensor& tensor, TensorFileFormat format) {
  const auto packed = packed_numbers(tensor);
  if (!packed || format != TensorFileFormat::npy) return {};
  return fmt::format("each {} as {}, because NumPy has no numbers of fewer than 8 bits", dtype_name(lane_of(*packed)),
                     dtype_name(written_dtype(lane_of(*packed), format)));
}

std::vector<std::int64_t> shape_in_file(const ExportedTensor& tensor, TensorFileFormat format) { return Plan(tensor, format).shape; }

namespace {

std::unexpected<Error> stopped() { return fail(ErrorKind::cancelled, "the export was stopped"); }

// In C order. csv: null: as bytes.
Result<void> write_values(const ExportedTensor& tensor, const Plan& plan, TensorFileFormat format, CsvText* csv, const ByteSink& sink,
                          const ExportProgress& progress) {
  const std::uint64_t elements = elements_of(plan.read), each = (plan.value_bits + 7U) / 8, total = elements * each;
  if (elements == 0) return {};
  const COrder order(tensor, plan.read);
  constexpr std::uint64_t kTogether = 8;  // packed numbers fill whole bytes
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kBytesAtOnce / each / kTogether) * kTogether;
  ElementReader reader(order.base, order.bits, plan.value_bits, source_of(tensor, format), at_once);
  std::optional<WrittenValues> packed;
  if (plan.packed) packed.emplace(*plan.packed, format);
  std::string text;
  std::vector<std::byte> meant;  // a copy: the window may lie in the tensor itself
  for (std::uint64_t at = 0; at < elements;) {
    const auto window = reader.read(at, elements, kTogether);
    if (!window) return std::unexpected(window.error());
    const std::uint64_t count = std::min(window->count, at_once);
    std::span values(window->data, count * each);
    if (tensor.signs.any()) {
      meant.assign(values.begin(), values.end());
      apply_sign_bits(tensor.dtype, tensor.signs, meant);
      values = meant;
    }
    if (packed) values = packed->of(values);
    std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size());
    if (csv != nullptr) {
      text.clear();
      csv->append(values.data(), count, text);
      bytes = text;
    }
    if (!sink(bytes)) return stopped();
    at += count;
    if (!progress(at * each, total)) return stopped();
  }
  return {};
}

}  // namespace

Result<void> export_tensor(const ExportedTensor& tensor, TensorFileFormat format, const ByteSink& sink,
                           const ExportProgress& progress) {
  if (const std::string why = why_not_exportable(tensor, format); !why.empty()) return fail(ErrorKind::unsupported, why);
  const bool as_text = format == TensorFileFormat::csv;
  const Plan plan(tensor, format);
  CsvText csv(tensor.name, csv_type_of(plan.said), plan.said.layout);
  const std::string header = as_text                            ? csv.first_line()
                             : format == TensorFileFormat::npy ? npy_header(plan.said)
                                                               : safetensors_header(plan.said, plan.written_bytes());
  if (!sink(header)) return stopped();
  return write_values(tensor, plan, format, as_text ? &csv : nullptr, sink, progress);
}

}  // namespace dlscope::core
