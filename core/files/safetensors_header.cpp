#include "core/files/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

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
    {"F6_E2M3", "float6_e2m3fn"}, {"F6_E3M2", "float6_e3m2fn"}, {"F4", "float4_e2m1fn"}};

NpyType type_of(const std::string& name) {
  const auto* const found = std::ranges::find(kNames, name, &DTypeNames::first);
  if (found == std::end(kNames))
    return {.dtype = std::nullopt, .why_not = fmt::format("dlscope does not know the dtype '{:.40}'", name)};
  return {.dtype = dtype_from_name(found->second)};
}

// Parses JSON; the result is `discarded` if an object has a key twice or values are nested deeper than the format allows.
Json parse(std::string_view text) {
  std::vector<std::unordered_set<std::string>> keys;
  bool wrong = false;
  const auto callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 4) wrong = true;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.empty() && !keys.back().insert(parsed.get_ref<const std::string&>()).second)
      wrong = true;
    return !wrong;
  };
  Json json = Json::parse(text.begin(), text.end(), callback, false);
  return wrong ? Json(Json::value_t::discarded) : json;
}

bool is_size(const Json& json) { return json.is_number_unsigned() && json.get<std::uint64_t>() <= (std::uint64_t{1} << 62); }

Result<SafetensorsEntry> entry_of(const std::string& name, const Json& json, std::uint64_t data, std::uint64_t file_bytes) {
  const auto wrong = [&](std::string_view what) { return malformed(fmt::format("says of '{:.80}' {}", name, what)); };
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets"))
    return wrong("something other than dtype, shape and data_offsets");
  const Json &dtype = json["dtype"], &shape = json["shape"], &offsets = json["data_offsets"];
  if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    return wrong("something that is not a dtype, a shape or a pair of offsets");
  SafetensorsEntry entry;
  entry.name = name;
  entry.type = type_of(dtype.get<std::string>());
  if (shape.size() > static_cast<std::size_t>(kMaxRank)) return wrong(fmt::format("that it has {} axes", shape.size()));
  for (const Json& n : shape) {
    if (!is_size(n)) return wrong("a shape with an invalid size");
    entry.shape.push_back(static_cast<std::int64_t>(n.get<std::uint64_t>()));
  }
  if (!is_size(offsets[0]) || !is_size(offsets[1])) return wrong("invalid offsets");
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  if (end < begin || end > file_bytes - data)
    return wrong(fmt::format("that it lies at {} to {} of {} bytes", begin, end, file_bytes - data));
  entry.offset = data + begin;
  entry.bytes = end - begin;
  if (!entry.type.dtype) return entry;
  const Layout layout = Layout::c_order(entry.shape, entry.type.dtype->bits);
  LayoutBounds bounds;
  if (check_layout(layout, bounds) != LayoutFault::none) return wrong("a shape larger than any memory");
  const std::uint64_t bits = bounds.elements * entry.type.dtype->bits;
  if (bits % 8 != 0 || bits / 8 != entry.bytes)
    return wrong(fmt::format("that it has {} bytes; its shape has {}", entry.bytes, (bits + 7) / 8));
  return entry;
}

}  // namespace

Result<std::vector<SafetensorsEntry>> read_safetensors_header(std::uint64_t file_bytes, const ReadBytes& read) {
  const auto start = read(0, 8);
  if (!start) return fail(ErrorKind::invalid, "it is not a .safetensors file: " + start.error().message);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>((*start)[i]);
  if (length > kMaxHeaderBytes || length > file_bytes - 8)
    return fail(ErrorKind::invalid, fmt::format("it is not a .safetensors file: its header would have {} bytes", length));
  const auto bytes = read(8, length);
  if (!bytes) return std::unexpected(bytes.error());
  const Json json = parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!json.is_object())
    return fail(ErrorKind::invalid, "it is not a .safetensors file: its header is not a JSON object of distinct names");
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") continue;
    auto entry = entry_of(name, value, 8 + length, file_bytes);
    if (!entry) return std::unexpected(entry.error());
    entries.push_back(std::move(*entry));
  }
  std::ranges::stable_sort(entries, {}, [](const SafetensorsEntry& e) { return std::pair(e.offset, e.bytes); });
  std::uint64_t end = 8 + length;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.bytes != 0 && entry.offset < end)
      return malformed(fmt::format("gives '{:.80}' bytes of another tensor", entry.name));
    end = std::max(end, entry.offset + entry.bytes);
  }
  return entries;
}

std::string_view safetensors_dtype(DType dtype) {
  const std::string name = dtype_name(dtype);
  const auto* const found = std::ranges::find(kNames, std::string_view(name), &DTypeNames::second);
  return found == std::end(kNames) ? std::string_view() : found->first;
}

}  // namespace dlscope::core
