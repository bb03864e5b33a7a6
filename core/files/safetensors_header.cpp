#include "core/files/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/inventory/sanitise.h"
#include "core/tensor/layout.h"

namespace dlscope::core {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

std::unexpected<Error> malformed(std::string_view what) { return fail(ErrorKind::invalid, fmt::format("its header {}", what)); }

using DTypeNames = std::pair<std::string_view, std::string_view>;  // the format's, ours
constexpr DTypeNames kNames[] = {
    {"BOOL", "bool"}, {"U8", "uint8"}, {"I8", "int8"}, {"U16", "uint16"}, {"I16", "int16"}, {"U32", "uint32"}, {"I32", "int32"},
    {"U64", "uint64"}, {"I64", "int64"}, {"F16", "float16"}, {"BF16", "bfloat16"}, {"F32", "float32"}, {"F64", "float64"},
    {"C64", "complex64"}, {"F8_E4M3", "float8_e4m3fn"}, {"F8_E5M2", "float8_e5m2"}, {"F8_E8M0", "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", "float8_e4m3fnuz"}, {"F8_E5M2FNUZ", "float8_e5m2fnuz"}, {"F6_E2M3", "float6_e2m3fn"},
    {"F6_E3M2", "float6_e3m2fn"}, {"F4", "float4_e2m1fn"}};

NpyType type_of(const std::string& name) {
  const auto* const found = std::ranges::find(kNames, name, &DTypeNames::first);
  if (found == std::end(kNames))
    return {.dtype = std::nullopt, .why_not = fmt::format("dlscope does not know the dtype '{:.40}'", name)};
  return {.dtype = dtype_from_name(found->second)};
}

// Of the metadata: entries and bytes of them that are kept.
constexpr std::size_t kMaxEntries = 64, kMaxKey = 200, kMaxText = 4000;

std::string safe_text(std::string_view text, std::size_t most) {
  std::vector<char> out;
  append_sanitised(out, text, most, LineBreaks::escape);
  return {out.begin(), out.end()};
}

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 62;

// What the header says of one tensor.
struct TensorFields {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> offsets;
};

std::unexpected<Error> wrong_tensor(const std::string& name, std::string_view what) {
  return malformed(fmt::format("says of '{:.80}' {}", name, what));
}

Result<SafetensorsEntry> entry_of(TensorFields fields, std::uint64_t data, std::uint64_t file_bytes) {
  const auto wrong = [&](std::string_view what) { return wrong_tensor(fields.name, what); };
  const std::uint64_t begin = fields.offsets[0], end = fields.offsets[1];
  if (end < begin || end > file_bytes - data)
    return wrong(fmt::format("that it lies at {} to {} of {} bytes", begin, end, file_bytes - data));
  SafetensorsEntry entry;
  entry.type = type_of(fields.dtype);
  entry.offset = data + begin;
  entry.bytes = end - begin;
  if (entry.type.dtype) {
    const Layout layout = Layout::c_order(fields.shape, entry.type.dtype->bits);
    LayoutBounds bounds;
    if (check_layout(layout, bounds) != LayoutFault::none) return wrong("a shape larger than any memory");
    const std::uint64_t bits = bounds.elements * entry.type.dtype->bits;
    if (bits % 8 != 0 || bits / 8 != entry.bytes)
      return wrong(fmt::format("that it has {} bytes; its shape has {}", entry.bytes, (bits + 7) / 8));
  }
  entry.name = std::move(fields.name);
  entry.shape = std::move(fields.shape);
  return entry;
}

// Takes the entries from the header while it is parsed, and stops at the first thing that is wrong. A tree of JSON values, made
// first and checked afterwards, would take many times the header's 100 MB.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  // data: where the tensors' bytes begin in the file.
  HeaderReader(std::uint64_t data, std::uint64_t file_bytes) : data_(data), file_bytes_(file_bytes) {}

  [[nodiscard]] std::vector<SafetensorsEntry> take() { return std::move(entries_); }
  [[nodiscard]] FileMetadata take_metadata() { return std::move(metadata_); }
  // What is wrong with a tensor; nullopt: the text is not a JSON object.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  bool null() override { return refuse_value(); }
  bool boolean(bool) override { return refuse_value(); }
  bool number_integer(number_integer_t) override { return refuse_value(); }  // a negative one
  bool number_float(number_float_t, const string_t&) override { return refuse_value(); }
  bool binary(binary_t&) override { return refuse_value(); }
  bool number_unsigned(number_unsigned_t number) override;
  bool string(string_t& text) override;
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  enum class Place : std::uint8_t { outside, header, tensor, shape, offsets, metadata };
  enum Member : std::uint8_t { kNone = 0, kDType = 1, kShape = 2, kOffsets = 4, kAll = 7 };

  bool fail_with(std::string_view what) {
    error_ = wrong_tensor(fields_.name, what).error();
    return false;
  }
  // A value that must not be at this place. In the metadata any may be, of which text is kept.
  bool refuse_value();
  void note_metadata(const std::string* text);
  void open_metadata();
  bool close();

  const std::uint64_t data_, file_bytes_;
  std::vector<SafetensorsEntry> entries_;
  std::optional<Error> error_;
  Place place_ = Place::outside;
  bool metadata_next_ = false;        // the value that follows is the metadata
  std::uint64_t metadata_depth_ = 0;  // open objects and arrays
  std::optional<std::string> metadata_key_;  // whose value follows
  FileMetadata metadata_;
  TensorFields fields_;
  unsigned given_ = kNone;  // members of the present tensor
  Member member_ = kNone;   // the last one
};

bool HeaderReader::refuse_value() {
  switch (place_) {
    case Place::outside:
      return false;
    case Place::header:
      return metadata_next_ || fail_with("something other than dtype, shape and data_offsets");
    case Place::tensor:
      return fail_with("something that is not a dtype, a shape or a pair of offsets");
    case Place::shape:
      return fail_with("a shape with an invalid size");
    case Place::offsets:
      return fail_with("invalid offsets");
    case Place::metadata:
      note_metadata(nullptr);
      break;
  }
  return true;
}

// The value of metadata_key_, if there is one; null: something other than text.
void HeaderReader::note_metadata(const std::string* text) {
  const std::optional<std::string> key = std::exchange(metadata_key_, std::nullopt);
  if (!key) return;
  if (text == nullptr || metadata_.entries.size() == kMaxEntries)
    ++metadata_.left_out;
  else
    metadata_.entries.push_back({safe_text(*key, kMaxKey), safe_text(*text, kMaxText)});
}

void HeaderReader::open_metadata() {
  note_metadata(nullptr);
  place_ = Place::metadata;
  ++metadata_depth_;
}

bool HeaderReader::number_unsigned(number_unsigned_t number) {
  if ((place_ != Place::shape && place_ != Place::offsets) || number > kMaxSize) return refuse_value();
  if (place_ == Place::shape) {
    if (fields_.shape.size() == static_cast<std::size_t>(kMaxRank))
      return fail_with(fmt::format("that it has more than {} axes", kMaxRank));
    fields_.shape.push_back(static_cast<std::int64_t>(number));
  } else {
    if (fields_.offsets.size() == 2) return fail_with("more than a pair of offsets");
    fields_.offsets.push_back(number);
  }
  return true;
}

bool HeaderReader::string(string_t& text) {
  if (place_ == Place::metadata) note_metadata(&text);
  if (place_ != Place::tensor || member_ != kDType) return refuse_value();
  fields_.dtype = std::move(text);
  return true;
}

bool HeaderReader::start_object(std::size_t) {
  if (place_ == Place::outside) {
    place_ = Place::header;
  } else if (place_ == Place::metadata || (place_ == Place::header && metadata_next_)) {
    open_metadata();
  } else if (place_ == Place::header) {
    place_ = Place::tensor;
    given_ = member_ = kNone;
  } else {
    return refuse_value();
  }
  return true;
}

bool HeaderReader::key(string_t& name) {
  if (place_ == Place::header) {
    metadata_next_ = name == "__metadata__";
    fields_ = {};
    fields_.name = std::move(name);
  } else if (place_ == Place::metadata && metadata_depth_ == 1) {
    metadata_key_ = std::move(name);
  } else if (place_ == Place::tensor) {
    member_ = name == "dtype" ? kDType : name == "shape" ? kShape : name == "data_offsets" ? kOffsets : kNone;
    if (member_ == kNone) return fail_with("something other than dtype, shape and data_offsets");
    if ((given_ & member_) != 0) return false;  // twice
    given_ |= member_;
  }
  return true;
}

bool HeaderReader::end_object() {
  if (place_ == Place::metadata) return close();
  if (place_ == Place::header) {
    place_ = Place::outside;
    return true;
  }
  if (given_ != kAll) return fail_with("something other than dtype, shape and data_offsets");
  auto entry = entry_of(std::move(fields_), data_, file_bytes_);
  if (!entry) {
    error_ = std::move(entry.error());
    return false;
  }
  entries_.push_back(std::move(*entry));
  place_ = Place::header;
  return true;
}

bool HeaderReader::start_array(std::size_t) {
  if (place_ == Place::metadata || (place_ == Place::header && metadata_next_)) {
    open_metadata();
  } else if (place_ == Place::tensor && (member_ == kShape || member_ == kOffsets)) {
    place_ = member_ == kShape ? Place::shape : Place::offsets;
  } else {
    return refuse_value();
  }
  return true;
}

bool HeaderReader::end_array() {
  if (place_ == Place::metadata) return close();
  if (place_ == Place::offsets && fields_.offsets.size() != 2)
    return fail_with("something that is not a dtype, a shape or a pair of offsets");
  place_ = Place::tensor;
  return true;
}

// An object or an array of the metadata ends.
bool HeaderReader::close() {
  if (--metadata_depth_ == 0) place_ = Place::header;
  return true;
}

bool has_name_twice(const std::vector<SafetensorsEntry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const SafetensorsEntry& entry : entries) names.emplace_back(entry.name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

}  // namespace

Result<SafetensorsHeader> read_safetensors_header(std::uint64_t file_bytes, const ReadBytes& read) {
  const auto start = read(0, 8);
  if (!start) return fail(ErrorKind::invalid, "it is not a .safetensors file: " + start.error().message);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>((*start)[i]);
  if (length > kMaxHeaderBytes || length > file_bytes - 8)
    return fail(ErrorKind::invalid, fmt::format("it is not a .safetensors file: its header would have {} bytes", length));
  const auto bytes = read(8, length);
  if (!bytes) return std::unexpected(bytes.error());
  HeaderReader reader(8 + length, file_bytes);
  const auto* const text = reinterpret_cast<const char*>(bytes->data());
  const bool parsed = Json::sax_parse(text, text + bytes->size(), &reader);
  if (reader.error()) return std::unexpected(*reader.error());
  std::vector<SafetensorsEntry> entries = reader.take();
  if (!parsed || has_name_twice(entries))
    return fail(ErrorKind::invalid, "it is not a .safetensors file: its header is not a JSON object of distinct names");
  std::ranges::stable_sort(entries, {}, [](const SafetensorsEntry& e) { return std::pair(e.offset, e.bytes); });
  std::uint64_t end = 8 + length;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.bytes != 0 && entry.offset < end)
      return malformed(fmt::format("gives '{:.80}' bytes of another tensor", entry.name));
    end = std::max(end, entry.offset + entry.bytes);
  }
  return SafetensorsHeader{std::move(entries), reader.take_metadata()};
}

std::string_view safetensors_dtype(DType dtype) {
  const std::string name = dtype_name(dtype);
  const auto* const found = std::ranges::find(kNames, std::string_view(name), &DTypeNames::second);
  return found == std::end(kNames) ? std::string_view() : found->first;
}

}  // namespace dlscope::core
