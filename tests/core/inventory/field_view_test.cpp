// Fields of records as tensors of their own, against a plain walk over randomly packed records: nested, with sub-arrays, gaps,
// overlaps and the other byte order, in arrays of any strides.
#include "core/inventory/field_view.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "core/elements/element_bytes.h"
#include "core/inventory/snapshot_builder.h"
#include "core/inventory/tensor_numbers.h"
#include "core/memory/memory_reader.h"
#include "core/search/find_value.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {
namespace {

using Random = std::mt19937;

std::uint32_t up_to(Random& random, std::uint32_t most) { return std::uniform_int_distribution<std::uint32_t>(0, most)(random); }

// What a field is, as the test packed it.
struct Packed {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
  std::vector<std::uint32_t> shape;
  bool no_path = false;
};

ItemType leaf(Random& random) {
  static const char* const kNumbers[] = {"float32", "float64", "int8", "uint16", "int64", "complex64", "bool"};
  switch (up_to(random, 5)) {
    case 0:
      return date_item(ItemKind::date, DateUnit::day, 1, up_to(random, 1) == 1);
    case 1:
      return text_item(ItemKind::byte_text, 1 + up_to(random, 4), false);
    default:
      return number_item(*dtype_from_name(kNumbers[up_to(random, 6)]), up_to(random, 2) == 0);
  }
}

std::vector<std::uint32_t> some_shape(Random& random) {
  std::vector<std::uint32_t> shape(up_to(random, 2) == 0 ? 1 + up_to(random, 2) : 0);
  for (std::uint32_t& n : shape) n = 1 + up_to(random, 2);
  return shape;
}

std::uint32_t product(const std::vector<std::uint32_t>& shape) {
  std::uint32_t out = 1;
  for (const std::uint32_t n : shape) out *= n;
  return out;
}

// A record of a few members at any offsets, in any order; `packed` gets its values.
ItemType record(Random& random, int depth, const std::string& path, std::uint32_t at, bool no_path,
                std::vector<Packed>& packed) {
  std::vector<ItemMember> members;
  std::uint32_t end = 0;
  const std::uint32_t count = 1 + up_to(random, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    ItemMember member;
    const bool dotted = up_to(random, 9) == 0;
    member.name = std::string(1, static_cast<char>('a' + i)) + (dotted ? ".z" : "");
    member.offset = up_to(random, 4) == 0 ? up_to(random, end) : end + up_to(random, 3);  // over others, or behind them with a gap
    const std::string name = path.empty() ? member.name : path + "." + member.name;
    if (depth < 2 && up_to(random, 3) == 0) {
      member.type = record(random, depth + 1, name, at + member.offset, no_path || dotted, packed);
    } else {
      member.type = leaf(random);
      member.shape = some_shape(random);
      packed.push_back({name, at + member.offset, member.type.bytes, member.shape, no_path || dotted});
    }
    end = std::max(end, member.offset + member.type.bytes * product(member.shape));
    members.push_back(std::move(member));
  }
  return record_item(members, end + up_to(random, 3));
}

TensorDesc described(const std::byte* first, const Layout& layout, std::shared_ptr<const ItemType> item) {
  TensorDesc desc;
  desc.protocol = Protocol::buffer;
  desc.has_metadata = desc.has_layout = true;
  desc.device = {1, 0};
  desc.dtype = dtype_of_item(item->bytes);
  desc.item_type = std::move(item);
  desc.rank = static_cast<int>(layout.shape.size());
  std::ranges::copy(layout.shape, desc.shape.begin());
  std::ranges::copy(layout.stride_bits, desc.stride_bits.begin());
  desc.data = reinterpret_cast<Address>(first);
  REQUIRE(check_layout(layout, desc.bounds) == LayoutFault::none);
  REQUIRE(find_extent(desc.bounds, desc.address(), desc.extent));
  return desc;
}

SnapshotPtr snapshot_of(const std::byte* first, const Layout& layout, const ItemType& item, const char* type = "numpy.ndarray") {
  SnapshotBuilder builder;
  const TensorDesc desc = described(first, layout, std::make_shared<const ItemType>(item));
  builder.add_tensor(desc, builder.intern("numpy"), builder.intern(type), builder.intern("x"));
  builder.analyse({});
  return builder.finish();
}

// Layouts of an array of items within `bytes`: contiguous, transposed, backwards, every second.
Layout some_layout(Random& random, std::uint32_t item_bytes, std::int64_t& first) {
  const std::int64_t each = item_bytes;
  Layout layout;
  layout.item_bits = item_bytes * 8;
  first = 0;
  switch (up_to(random, 3)) {
    case 0:
      layout.shape = {3, 4};
      layout.stride_bits = {4 * each * 8, each * 8};
      break;
    case 1:
      layout.shape = {4, 3};
      layout.stride_bits = {each * 8, 4 * each * 8};
      break;
    case 2:
      layout.shape = {12};
      layout.stride_bits = {-each * 8};
      first = 11 * each;
      break;
    default:
      layout.shape = {2, 1, 3};
      layout.stride_bits = {6 * each * 8, 0, 2 * each * 8};
      break;
  }
  return layout;
}

// Every value of the view lies where the packing says: index by index.
void check_places(const Snapshot& whole, const TensorPart& view, const Packed& field) {
  const LayoutView items = whole.layout(whole.tensors[0]);
  const LayoutView values = view.layout();
  REQUIRE(values.shape.size() == items.shape.size() + field.shape.size());
  for (std::size_t d = 0; d < field.shape.size(); ++d) REQUIRE(values.shape[items.shape.size() + d] == field.shape[d]);
  const std::uint32_t each = product(field.shape);
  REQUIRE(view.record().elements == whole.tensors[0].elements * each);
  for (std::uint64_t value = 0; value < view.record().elements; ++value) {
    const std::int64_t expected =
        bit_offset_of(items, value / each) / 8 + field.offset + static_cast<std::int64_t>(value % each) * field.bytes;
    const auto moved = static_cast<std::int64_t>(view.record().address - whole.tensors[0].address);
    const std::int64_t found = moved + bit_offset_of(values, value) / 8;
    REQUIRE(found == expected);
  }
}

}  // namespace

TEST_CASE("a field lies where it was packed, with its own type and the axes of its sub-array", "[core][inventory]") {
  Random random(20261124);
  std::size_t fields = 0, plain = 0, nested = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Packed> packed;
    const ItemType item = record(random, 0, "", 0, false, packed);
    if (item.bytes > 200) continue;
    std::vector<std::byte> memory(std::size_t{item.bytes} * 12 + 1);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(up_to(random, 255));
    std::int64_t first = 0;
    const Layout layout = some_layout(random, item.bytes, first);
    const SnapshotPtr whole = snapshot_of(memory.data() + first, layout, item);
    const auto listed = fields_of(*whole, whole->tensors[0]);
    REQUIRE(listed.size() == packed.size());
    for (std::uint16_t i = 0; i < packed.size(); ++i) {
      CHECK(field_label(*whole, listed[i]) == packed[i].name);
      CHECK(listed[i].layout.no_path == packed[i].no_path);
      const auto view = part_view(whole, 0, i);
      REQUIRE(view);
      check_places(*whole, *view, packed[i]);
      const TensorRecord& record = view->record();
      CHECK(record.item_bits == packed[i].bytes * 8);
      CHECK(whole->tensors[0].extent.begin <= record.extent.begin);
      CHECK(record.extent.end <= whole->tensors[0].extent.end);
      // The text of a value is that of the field in the whole element.
      if (packed[i].shape.empty()) {
        const auto bytes = std::span(memory).subspan(static_cast<std::size_t>(first) + packed[i].offset, packed[i].bytes);
        const auto element = std::span(memory).subspan(static_cast<std::size_t>(first), item.bytes);
        const std::string in_whole = format_field(listed[i].layout, element);
        const std::string alone = record.item_type != kNone16
                                      ? view->snapshot->item_text(record, bytes)
                                      : format_value(record.dtype, decode_element(record.dtype, bytes, 0));
        CHECK(alone == in_whole);
      }
      ++fields;
      plain += record.item_type == kNone16 ? 1 : 0;
      nested += packed[i].name.size() > 1 ? 1 : 0;
    }
  }
  CHECK(fields > 500);  // the rounds had something of every kind
  CHECK(plain > 100);
  CHECK(nested > 50);
}

TEST_CASE("statistics and searches of a field are those of its values packed densely", "[core][inventory]") {
  const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  const auto f8 = number_item(*dtype_from_name("float64"), false);
  const auto swapped = number_item(*dtype_from_name("float32"), true);
  const ItemType item = record_item({{"big", 1, swapped, {}}, {"pos", 5, record_item({{"lat", 0, f8, {}}, {"lon", 8, f8, {}}}, 16), {}},
                                     {"rgb", 21, number_item(*dtype_from_name("uint8"), false), {3}}}, 25);
  constexpr int kItems = 1000;
  std::vector<std::byte> memory(kItems * 25);
  for (int i = 0; i < kItems; ++i) {
    std::byte* const at = memory.data() + i * 25;
    const double lat = i - 500.0, lon = i == 777 ? std::numeric_limits<double>::quiet_NaN() : 2.0 * i;
    const float big = 0.5F * static_cast<float>(i);
    std::memcpy(at + 1, &big, 4);
    std::reverse(at + 1, at + 5);
    std::memcpy(at + 5, &lat, 8);
    std::memcpy(at + 13, &lon, 8);
    for (int c = 0; c < 3; ++c) at[21 + c] = static_cast<std::byte>((i + c) % 200);
  }
  const SnapshotPtr whole = snapshot_of(memory.data(), Layout::c_order({kItems}, 25 * 8), item);
  const auto statistics = [&](const char* name) {
    const auto part = part_view(whole, 0, field_with_name(*whole, whole->tensors[0], name).value()).value();
    TensorValues values = tensor_values(*part.snapshot, part.record());
    values.source = values.source.read_by(*reader);
    return exact_statistics(values).value().summary;
  };
  const auto lat = statistics("pos.lat"), lon = statistics("pos.lon"), big = statistics("big"), rgb = statistics("rgb");
  CHECK(lat.count == kItems);
  CHECK(lat.min.as_double() == -500);
  CHECK(lat.max.as_double() == 499);
  CHECK(lat.mean == -0.5);
  CHECK(lon.nan == 1);
  CHECK(lon.max.as_double() == 1998);
  CHECK(big.max.as_double() == 499.5);
  CHECK(big.zero == 1);
  CHECK(rgb.count == 3 * kItems);
  CHECK(rgb.max.as_double() == 199);
  const auto lon_part = part_view(whole, 0, 2).value();
  const auto is_nan = ValueTest::make(lon_part.record().dtype, SearchedValue::nan).value();
  FindValueTask search(lon_part.snapshot, lon_part.tensor, reader, is_nan, 0);
  while (search.step().value() != Task::State::done) {
  }
  CHECK(search.found().first == 777);
}

TEST_CASE("fields have the names that Python reads them by, where it does", "[core][inventory]") {
  const auto f4 = number_item(*dtype_from_name("float32"), false);
  const ItemType item = record_item({{"pos", 0, record_item({{"lat", 0, f4, {}}}, 4), {}}, {"it's", 4, f4, {}}, {"a.b", 8, f4, {}},
                                     {"many", 12, f4, {1, 1, 1, 1, 2}}, {"", 20, f4, {}}}, 24);
  std::vector<std::byte> memory(24 * 2);
  const auto name = [&](const SnapshotPtr& whole, std::uint16_t field) {
    const auto part = part_view(whole, 0, field).value();
    return std::string(part.snapshot->name(part.record()));
  };
  const SnapshotPtr numpy = snapshot_of(memory.data(), Layout::c_order({2}, 24 * 8), item);
  CHECK(name(numpy, 0) == "x['pos']['lat']");
  CHECK(name(numpy, 1) == "x['it\\'s']");
  CHECK(name(numpy, 2) == "x, field a.b");   // or a field b of a?
  CHECK(name(numpy, 3) == "x, field many");  // its axes are joined
  CHECK(part_view(numpy, 0, 3).value().layout().shape[1] == 2);
  CHECK(name(numpy, 4) == "x, field unnamed, at byte 20");
  const SnapshotPtr view = snapshot_of(memory.data(), Layout::c_order({2}, 24 * 8), item, "memoryview");
  CHECK(name(view, 0) == "x, field pos.lat");
}

TEST_CASE("what has no such field is said", "[core][inventory]") {
  const auto f4 = number_item(*dtype_from_name("float32"), false);
  const ItemType item = record_item({{"a", 0, f4, {}}, {"a", 4, f4, {}}, {"b", 0, f4, {}}, {"nothing", 2, raw_item(0), {}}}, 8);
  std::vector<std::byte> memory(16);
  const SnapshotPtr whole = snapshot_of(memory.data(), Layout::c_order({2}, 64), item);
  const TensorRecord& tensor = whole->tensors[0];
  CHECK(field_with_name(*whole, tensor, "b").value() == 2);
  CHECK(field_with_name(*whole, tensor, "a").error().message == "several of its fields are called a");
  CHECK(field_with_name(*whole, tensor, "c").error().message == "it has no field c; its fields are a, a, b, nothing");
  CHECK_FALSE(part_view(whole, 0, 4));
  CHECK(part_view(whole, 0, 3).error().message == "its values have no bytes");
  CHECK(part_view(whole, 0, 1).value().record().address == tensor.address + 4);  // by number, the second of one name
  const SnapshotPtr dates = snapshot_of(memory.data(), Layout::c_order({2}, 64), date_item(ItemKind::date, DateUnit::day, 1, false));
  CHECK(fields_of(*dates, dates->tensors[0]).empty());
  CHECK(field_with_name(*dates, dates->tensors[0], "a").error().message == "its elements have no fields");
  CHECK(part_view(whole, 0, kNone16).value().snapshot == whole);
}

}  // namespace dlscope::core
