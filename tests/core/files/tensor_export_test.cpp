#include "core/files/tensor_export.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/csv_text.h"
#include "core/files/npy_descr.h"
#include "core/files/tensor_file.h"
#include "core/tensor/element.h"
#include "file_bytes.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

using test::TemporaryFile;

DType dtype(const char* name) { return dtype_from_name(name).value(); }

std::string exported(const ExportedTensor& tensor, TensorFileFormat format) {
  std::string out;
  const auto sink = [&](std::string_view bytes) {
    out += bytes;
    return true;
  };
  REQUIRE(export_tensor(tensor, format, sink, [](std::uint64_t, std::uint64_t) { return true; }));
  return out;
}

}  // namespace

TEST_CASE("What is exported is what our own reader finds in the file, in any layout", "[core][files]") {
  std::mt19937 chance(8);
  std::vector<std::byte> memory(200'000);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto base = reinterpret_cast<Address>(memory.data() + 100'000);
  for (const char* name :
       {"float32", "int8", "uint64", "bool", "float16", "complex64", "complex128", "bfloat16", "float8_e5m2", "float8_e4m3fnuz",
        "float8_e5m2fnuz"}) {
    const DType type = dtype(name);
    const Layout layouts[] = {Layout::c_order({40, 30}, type.bits),
                              Layout::from_element_strides({30, 40}, {1, 30}, type.bits),
                              Layout::from_element_strides({3, 5, 7}, {-60, 11, -1}, type.bits),
                              Layout::from_element_strides({4, 5}, {0, 1}, type.bits),
                              Layout::c_order({}, type.bits),
                              Layout::c_order({3, 0, 2}, type.bits),
                              Layout::c_order({7}, type.bits)};
    for (const Layout& layout : layouts) {
      for (const TensorFileFormat format : {TensorFileFormat::npy, TensorFileFormat::safetensors}) {
        const ExportedTensor tensor{"a \"name\"", type, layout, base, ElementSource::held_memory()};
        CAPTURE(name, describe(layout), file_extension(format));
        if (const std::string why = why_not_exportable(tensor, format); !why.empty()) {
          const std::string_view refused = name;
          CHECK((format == TensorFileFormat::npy ? refused == "bfloat16" || refused.starts_with("float8") : refused == "complex128"));
          continue;
        }
        const TemporaryFile file(std::string(".") + file_extension(format), exported(tensor, format));
        const auto opened = TensorFile::open(file.path());
        REQUIRE(opened);
        const FileTensor& back = opened->tensors().at(0);
        REQUIRE(back.why_not.empty());
        CHECK(back.dtype == type);
        CHECK(back.layout.shape == layout.shape);
        if (format == TensorFileFormat::safetensors) CHECK(back.name == "a \"name\"");
        const std::uint64_t elements = validate(layout)->elements;
        for (std::uint64_t i = 0; i < elements; ++i) {
          const auto at = [&](Address from, const Layout& as) {
            return reinterpret_cast<const void*>(from + static_cast<std::uint64_t>(bit_offset_of(as, i) / 8));
          };
          REQUIRE(std::memcmp(at(back.address, back.layout), at(base, layout), type.bits / 8U) == 0);
        }
      }
    }
  }
}

TEST_CASE("Written are the values PyTorch means by a conjugated or negated view", "[core][files]") {
  const std::vector<float> stored{1, 2, -3, 4};  // 1+2j, -3+4j
  const Layout layout = Layout::c_order({2}, 64);
  const ExportedTensor tensor{.name = "y",
                              .dtype = dtype("complex64"),
                              .layout = layout,
                              .address = reinterpret_cast<Address>(stored.data()),
                              .source = ElementSource::held_memory(),
                              .signs = {.conjugate = true}};
  CHECK(exported(tensor, TensorFileFormat::csv).ends_with("\n1.0-2.0j\n-3.0-4.0j\n"));
  for (const TensorFileFormat format : {TensorFileFormat::npy, TensorFileFormat::safetensors}) {
    const std::string file = exported(tensor, format);
    std::vector<float> written(4);
    std::memcpy(written.data(), file.data() + file.size() - 16, 16);
    CHECK(written == std::vector<float>{1, -2, -3, -4});
  }
  CHECK(stored == std::vector<float>{1, 2, -3, 4});
}

TEST_CASE("Text has every value in C order as the viewer writes it, and says what it is", "[core][files]") {
  std::mt19937 chance(9);
  std::vector<std::byte> memory(20'000);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto base = reinterpret_cast<Address>(memory.data() + 10'000);
  for (const char* name :
       {"float32", "int8", "uint64", "float16", "complex64", "bfloat16", "float8_e5m2", "int4", "float4_e2m1fn"}) {
    const DType type = dtype(name);
    for (const Layout& layout :
         {Layout::c_order({4, 3}, type.bits), Layout::from_element_strides({3, 4}, {1, 3}, type.bits),
          Layout::from_element_strides({3, 5, 7}, {-60, 11, -1}, type.bits), Layout::c_order({7}, type.bits),
          Layout::c_order({2, 2, 2, 2}, type.bits), Layout::c_order({}, type.bits)}) {
      CAPTURE(name, describe(layout));
      std::istringstream lines(exported({"x", type, layout, base, ElementSource::held_memory()}, TensorFileFormat::csv));
      const std::size_t across = layout.shape.size() < 2 ? 1 : static_cast<std::size_t>(layout.shape.back());
      std::string line;
      REQUIRE((std::getline(lines, line) && line.starts_with(std::string("# x, ") + name + ", shape (")));
      std::uint64_t at = 0;
      while (std::getline(lines, line)) {
        if (line.starts_with("# ")) continue;
        std::istringstream values(line);
        std::string text;
        std::size_t of_line = 0;
        for (; std::getline(values, text, ','); ++at, ++of_line) {
          const std::int64_t bit = bit_offset_of(layout, at);
          const Address byte = base + static_cast<std::uint64_t>(bit >> 3);
          const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(byte), (type.bits + 7U) / 8);
          REQUIRE(text == format_value(type, decode_element(type, bytes, static_cast<std::size_t>(bit & 7))));
        }
        REQUIRE(of_line == across);
      }
      CHECK(at == validate(layout)->elements);
    }
  }
}

TEST_CASE("Text is what NumPy's loadtxt and a person expect", "[core][files]") {
  const float numbers[] = {1.5F, -0.1F, 3e10F, std::numeric_limits<float>::quiet_NaN(), 0, std::numeric_limits<float>::infinity(),
                           7,    8};
  const auto of = [&](const Layout& layout, const char* name) {
    return exported({name, dtype("float32"), layout, reinterpret_cast<Address>(numbers), ElementSource::held_memory()},
                    TensorFileFormat::csv);
  };
  CHECK(of(Layout::c_order({2, 3}, 32), "x[0]") == "# x[0], float32, shape (2, 3)\n1.5,-0.1,30000000000.0\nnan,0.0,inf\n");
  CHECK(of(Layout::c_order({2}, 32), "a\nb") == "# a?b, float32, shape (2,)\n1.5\n-0.1\n");
  CHECK(of(Layout::c_order({2, 2, 2}, 32), "x") ==
        "# x, float32, shape (2, 2, 2)\n# [0, :, :]\n1.5,-0.1\n30000000000.0,nan\n# [1, :, :]\n0.0,inf\n7.0,8.0\n");
  CHECK(of(Layout::c_order({}, 32), "x") == "# x, float32, shape ()\n1.5\n");
  CHECK(of(Layout::c_order({3, 0}, 32), "x") == "# x, float32, shape (3, 0)\n");
  const bool flags[] = {true, false};
  const Layout row = Layout::c_order({1, 2}, 8);
  CHECK(exported({"x", dtype("bool"), row, reinterpret_cast<Address>(flags), ElementSource::held_memory()},
                 TensorFileFormat::csv) == "# x, bool, shape (1, 2)\nTrue,False\n");
}

TEST_CASE("Items without a DLPack dtype are written to .npy as NumPy has them, and read back the same", "[core][files]") {
  const ItemType record = record_item({{"a", 0, number_item(dtype("int32"), false), {}},
                                       {"when", 8, date_item(ItemKind::date, DateUnit::second, 25, false), {}},
                                       {"p", 16, number_item(dtype("float32"), true), {3}}},
                                      32);
  const ItemType types[] = {record, date_item(ItemKind::date, DateUnit::day, 1, false),
                            date_item(ItemKind::duration, DateUnit::generic, 1, false), text_item(ItemKind::ucs4_text, 3, true),
                            text_item(ItemKind::byte_text, 5, false), number_item(dtype("float32"), true), raw_item(7)};
  CHECK(npy_descr(record) == "[('a', '<i4'), ('', '|V4'), ('when', '<M8[25s]'), ('p', '>f4', (3,)), ('', '|V4')]");
  std::mt19937 chance(3);
  std::vector<std::byte> memory(400);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  for (const ItemType& type : types) {
    CAPTURE(type.name);
    const unsigned bits = type.bytes * 8;
    const Layout turned = Layout::from_element_strides({2, 3}, {1, 2}, bits);
    const ExportedTensor tensor{.name = "x",
                                .dtype = dtype_of_item(type.bytes),
                                .layout = turned,
                                .address = reinterpret_cast<Address>(memory.data()),
                                .source = ElementSource::held_memory(),
                                .item = &type};
    CHECK(why_not_exportable(tensor, TensorFileFormat::csv).empty());
    CHECK(why_not_exportable(tensor, TensorFileFormat::safetensors) == ".safetensors has no dtype " + type.name + "; .npy has it");
    const TemporaryFile file(".npy", exported(tensor, TensorFileFormat::npy));
    const auto opened = TensorFile::open(file.path());
    REQUIRE(opened);
    const FileTensor& back = opened->tensors().at(0);
    REQUIRE(back.why_not.empty());
    CHECK(back.layout.shape == turned.shape);
    const auto* const elements = reinterpret_cast<const std::byte*>(back.address);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t from = (i % 3 * 2 + i / 3) * type.bytes;
      CHECK(std::memcmp(elements + i * type.bytes, memory.data() + from, type.bytes) == 0);
    }
  }
  CHECK(npy_descr(object_item()).empty());
  CHECK(npy_descr(record_item({{"a'b", 0, number_item(dtype("int32"), false), {}}}, 4)).empty());
}

TEST_CASE("Text has the numbers of the other byte order and of a byte of their own as any others", "[core][files]") {
  std::mt19937 chance(31);
  std::vector<std::byte> memory(4000);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  for (const char* name : {"float32", "float64", "int16", "complex64", "complex128", "uint64"}) {
    const DType type = dtype(name);
    const std::size_t each = type.bits / 8u, part = type.code == 5 ? each / 2 : each;
    std::vector<std::byte> swapped = memory;
    for (std::size_t at = 0; at < swapped.size(); at += part)
      std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at), swapped.begin() + static_cast<std::ptrdiff_t>(at + part));
    const ItemType item = number_item(type, true);
    const Layout turned = Layout::from_element_strides({7, 9}, {1, 7}, type.bits);
    const auto of = [&](const std::vector<std::byte>& from, DType as, const ItemType* described) {
      const std::string text = exported({.name = "x",
                                         .dtype = as,
                                         .layout = turned,
                                         .address = reinterpret_cast<Address>(from.data()),
                                         .source = ElementSource::held_memory(),
                                         .item = described},
                                        TensorFileFormat::csv);
      return std::pair(text.substr(0, text.find('\n')), text.substr(text.find('\n')));
    };
    const auto plain = of(memory, type, nullptr), other = of(swapped, dtype_of_item(item.bytes), &item);
    CHECK(other.first == std::string("# x, ") + name + " big-endian, shape (7, 9)");
    CHECK(other.second == plain.second);
  }
  const unsigned char bytes[] = {0x01, 0x0f, 0xf8, 0x07};  // the high bits mean nothing
  const ItemType item = number_item(dtype("int4"), false);
  const Layout layout = Layout::c_order({4}, 8);
  const ExportedTensor tensor{.name = "x",
                              .dtype = dtype_of_item(1),
                              .layout = layout,
                              .address = reinterpret_cast<Address>(bytes),
                              .source = ElementSource::held_memory(),
                              .item = &item};
  CHECK(exported(tensor, TensorFileFormat::csv) == "# x, int4 in a byte, shape (4,)\n1\n-1\n-8\n7\n");
  CHECK(exported(tensor, TensorFileFormat::npy).ends_with("\n\x01\xff\xf8\x07"));
  CHECK(exported(tensor, TensorFileFormat::npy).find("'descr': '|i1'") != std::string::npos);
  CHECK(why_not_exportable(tensor, TensorFileFormat::safetensors) ==
        ".safetensors has no dtype int4; .npy can have them as int8, and .csv as text");
}

TEST_CASE("Text has dates, texts and records whole, in quotes where they need them", "[core][files]") {
  const auto text_of = [](const void* memory, const ItemType& item, const Layout& layout) {
    const ExportedTensor tensor{.name = "x",
                                .dtype = dtype_of_item(item.bytes),
                                .layout = layout,
                                .address = reinterpret_cast<Address>(memory),
                                .source = ElementSource::held_memory(),
                                .item = &item};
    const std::string text = exported(tensor, TensorFileFormat::csv);
    return text.substr(text.find('\n') + 1);
  };
  const std::int64_t days[] = {19'782, std::numeric_limits<std::int64_t>::min()};
  CHECK(text_of(days, date_item(ItemKind::date, DateUnit::day, 1, false), Layout::c_order({1, 2}, 64)) == "2024-02-29,NaT\n");
  const char names[][4] = {{'a', ',', '"', 0}, {'#', '\n', 0, 0}};
  CHECK(text_of(names, text_item(ItemKind::byte_text, 4, false), Layout::c_order({2}, 32)) == "\"b'a,\"\"'\"\nb'#\\x0a'\n");
  // The window shortens a long text, and a long sub-array.
  const std::string long_text(300, 'z');
  CHECK(text_of(long_text.data(), text_item(ItemKind::byte_text, 300, false), Layout::c_order({1}, 2400)) == "b'" + long_text + "'\n");
  const unsigned char many[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const ItemType record = record_item({{"a", 0, number_item(dtype("uint8"), false), {10}},
                                       {"b", 10, number_item(dtype("int16"), true), {}}}, 20);
  CHECK(text_of(many, record, Layout::c_order({1}, 160)) == "\"([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0)\"\n");
  const ItemType objects = record_item({{"a", 0, object_item(), {}}}, 8);
  const Layout one = Layout::c_order({1}, 64);
  CHECK(why_not_exportable({.name = "x", .dtype = dtype_of_item(8), .layout = one, .address = 64, .source = {}, .item = &objects},
                           TensorFileFormat::csv) ==
        "struct{a:object} has Python objects: their addresses would mean nothing in a file");
}

TEST_CASE("No text of an item is longer than is said before it is written", "[core][files]") {
  const std::vector<std::byte> worst(64, std::byte{0xff});
  std::vector<ItemType> items{text_item(ItemKind::ucs4_text, 8, false), text_item(ItemKind::byte_text, 32, false), raw_item(32)};
  for (const DateUnit unit : {DateUnit::year, DateUnit::week, DateUnit::second, DateUnit::as, DateUnit::generic}) {
    items.push_back(date_item(ItemKind::date, unit, 1, false));
    items.push_back(date_item(ItemKind::duration, unit, 4'000'000, true));
  }
  const ItemType flags = number_item(dtype("bool"), false), dates = items[3], texts = items[0];
  items.push_back(record_item({{"a", 0, flags, {8}}, {"b", 8, dates, {2, 2}}, {"c", 40, texts, {}}}, 72));
  std::mt19937 chance(5);
  for (const ItemType& item : items) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::byte> memory(item.bytes, std::byte{0xff});
      if (round > 0) std::ranges::generate(memory, [&] { return static_cast<std::byte>(round % 2 == 0 ? '"' : chance()); });
      const Layout layout = Layout::c_order({1}, item.bytes * 8);
      CsvText csv("x", {item.name, {}, &item}, layout);
      std::string text = csv.first_line();
      csv.append(memory.data(), 1, text);
      CAPTURE(item.name, text);
      REQUIRE(text.size() - csv.first_line().size() + 1024 <= csv_bytes_at_most({item.name, {}, &item}, layout));
    }
  }
}

TEST_CASE("A slice of packed elements may begin inside a byte", "[core][files]") {
  const unsigned char packed[] = {0x21, 0x43};
  const Layout layout = Layout::c_order({3}, 4);
  const ExportedTensor tensor{"x", dtype("uint4"), layout, reinterpret_cast<Address>(packed), ElementSource::held_memory(), 4};
  CHECK(exported(tensor, TensorFileFormat::csv) == "# x, uint4, shape (3,)\n2\n3\n4\n");
}

TEST_CASE("Packed numbers are written to .npy as wider ones of the same value, and to .safetensors as they are", "[core][files]") {
  std::mt19937 chance(12);
  std::vector<std::byte> memory(4000);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto base = reinterpret_cast<Address>(memory.data() + 2000);
  for (const char* name : {"int4", "uint4", "float4_e2m1fn", "int2", "uint2", "uint1", "float6_e2m3fn", "float6_e3m2fn"}) {
    const auto known = dtype_from_name(name);
    REQUIRE(known);
    const DType type = *known;
    const bool real = type.code > static_cast<std::uint8_t>(DTypeCode::uint);
    const Layout layouts[] = {Layout::c_order({6, 50}, type.bits), Layout::from_element_strides({50, 6}, {1, 51}, type.bits),
                              Layout::from_element_strides({3, 5, 4}, {-60, 11, -1}, type.bits), Layout::c_order({2}, type.bits),
                              Layout::from_element_strides({4, 6}, {0, 1}, type.bits), Layout::c_order({}, type.bits)};
    for (const Layout& layout : layouts) {
      for (const unsigned first_bit : {0U, type.bits * 1U}) {
        const ExportedTensor tensor{"x", type, layout, base, ElementSource::held_memory(), first_bit};
        std::uint64_t elements = 1;
        for (const std::int64_t n : layout.shape) elements *= static_cast<std::uint64_t>(n);
        CAPTURE(name, describe(layout), first_bit);
        const std::string npy = exported(tensor, TensorFileFormat::npy);
        const std::size_t each = real ? 4 : 1;
        REQUIRE((npy.size() - elements * each) % 64 == 0);
        CHECK(npy.find(real ? "'<f4'" : type.code == 0 ? "'|i1'" : "'|u1'") != std::string::npos);
        std::vector<unsigned> patterns;
        for (std::uint64_t i = 0; i < elements; ++i) {
          const std::int64_t bit = bit_offset_of(layout, i) + first_bit + 2000 * 8;
          const Value value = decode_element(type, std::span(memory).subspan(static_cast<std::size_t>(bit / 8)), static_cast<std::size_t>(bit % 8));
          patterns.push_back(std::to_integer<unsigned>(value.raw[0]) & ((1U << type.bits) - 1));
          const char* const at = npy.data() + npy.size() - (elements - i) * each;
          float written = 0;
          if (real) std::memcpy(&written, at, sizeof written);
          const double got = real ? static_cast<double>(written) : type.code == 0 ? static_cast<double>(static_cast<signed char>(*at))
                                                                                  : static_cast<double>(static_cast<unsigned char>(*at));
          const double expected = real ? value.real : type.code == 0 ? static_cast<double>(value.as_signed) : static_cast<double>(value.as_unsigned);
          REQUIRE(got == expected);
        }
        CHECK(written_instead(tensor, TensorFileFormat::npy) ==
              std::string("each ") + name + " as " + (real ? "float32" : type.code == 0 ? "int8" : "uint8") +
                  ", because NumPy has no numbers of fewer than 8 bits");
        CHECK(written_instead(tensor, TensorFileFormat::csv).empty());
        if (!std::string(name).starts_with("float") || elements * type.bits % 8 != 0) {
          CHECK_FALSE(why_not_exportable(tensor, TensorFileFormat::safetensors).empty());
          continue;
        }
        const std::string packed = exported(tensor, TensorFileFormat::safetensors);
        const auto header = read_safetensors_header(packed.size(), [&](std::uint64_t from, std::uint64_t bytes) {
          const auto part = std::as_bytes(std::span(packed)).subspan(from, bytes);
          return Result<std::vector<std::byte>>(std::vector<std::byte>(part.begin(), part.end()));
        });
        REQUIRE(header);
        CHECK(header->tensors[0].type.dtype == type);
        CHECK(header->tensors[0].bytes == elements * type.bits / 8);
        for (std::uint64_t i = 0; i < elements; ++i) {
          const std::uint64_t bit = header->tensors[0].offset * 8 + i * type.bits;
          const Value read = decode_element(type, std::as_bytes(std::span(packed)).subspan(bit / 8), bit % 8);
          REQUIRE((std::to_integer<unsigned>(read.raw[0]) & ((1U << type.bits) - 1)) == patterns[i]);
        }
      }
    }
  }
}

TEST_CASE("Vectors of packed numbers are written number by number", "[core][files]") {
  const unsigned char packed[] = {0x21, 0x43, 0x65, 0x07};  // PyTorch's float4_e2m1fn_x2
  const DType pair{dtype("float4_e2m1fn").code, 4, 2};
  const Layout layout = Layout::from_byte_strides({2, 2}, {1, 2}, 8);  // transposed
  const ExportedTensor tensor{"x", pair, layout, reinterpret_cast<Address>(packed), ElementSource::held_memory()};
  CHECK(exported(tensor, TensorFileFormat::csv) == "# x, float4_e2m1fn, shape (2, 4)\n0.5,1.0,3.0,4.0\n1.5,2.0,6.0,0.0\n");
  CHECK(exported(tensor, TensorFileFormat::npy).find("'shape': (2, 4)") != std::string::npos);
  CHECK(shape_in_file(tensor, TensorFileFormat::npy) == std::vector<std::int64_t>{2, 4});
  const std::string file = exported(tensor, TensorFileFormat::safetensors);
  CHECK(file.find(R"("dtype":"F4","shape":[2,4],"data_offsets":[0,4])") != std::string::npos);
  CHECK(file.ends_with(std::string("\x21\x65\x43\x07", 4)));
}

TEST_CASE("What a format cannot hold is refused in words", "[core][files]") {
  const auto why = [](DType type, TensorFileFormat format, const char* name = "x") {
    const Layout layout = Layout::c_order({2}, type.item_bits());
    return why_not_exportable({name, type, layout, 64, {}}, format);
  };
  CHECK(why(dtype("bfloat16"), TensorFileFormat::npy) == ".npy has no dtype bfloat16; .safetensors has it");
  CHECK(why(dtype("complex128"), TensorFileFormat::safetensors) == ".safetensors has no dtype complex128; .npy has it");
  CHECK(why(dtype("float8_e3m4"), TensorFileFormat::safetensors) ==
        ".safetensors has no dtype float8_e3m4; as .csv it can be written");
  CHECK(why(dtype("float8_e3m4"), TensorFileFormat::npy) == ".npy has no dtype float8_e3m4; as .csv it can be written");
  CHECK(why(dtype("float8_e4m3fnuz"), TensorFileFormat::npy) == ".npy has no dtype float8_e4m3fnuz; .safetensors has it");
  CHECK(why(dtype("bfloat16"), TensorFileFormat::npy, "__metadata__") ==
        ".npy has no dtype bfloat16; as .csv it can be written");
  CHECK(why(dtype("int4"), TensorFileFormat::npy).empty());
  CHECK(why(dtype("int4"), TensorFileFormat::safetensors) ==
        ".safetensors has no dtype int4; .npy can have them as int8, and .csv as text");
  CHECK(why(dtype("float6_e2m3fn"), TensorFileFormat::safetensors) ==
        ".safetensors has four float6_e2m3fn in three bytes, and 2 of them do not fill whole bytes; .npy can have them as float32, and .csv as text");
  const Layout four = Layout::c_order({2, 2}, 6);
  CHECK(why_not_exportable({"x", dtype("float6_e2m3fn"), four, 64, {}}, TensorFileFormat::safetensors).empty());
  CHECK(why(dtype("float4_e2m1fn"), TensorFileFormat::safetensors).empty());
  const Layout odd = Layout::c_order({3}, 4);
  CHECK(why_not_exportable({"x", dtype("float4_e2m1fn"), odd, 64, {}}, TensorFileFormat::safetensors) ==
        ".safetensors has two float4_e2m1fn in a byte, and 3 of them do not fill whole bytes; .npy can have them as float32, and .csv as text");
  CHECK(why({2, 32, 4}, TensorFileFormat::npy) == ".npy has no vector elements (float32x4)");
  CHECK_FALSE(why(dtype("float32"), TensorFileFormat::safetensors, "__metadata__").empty());
  CHECK(why({2, 32, 4}, TensorFileFormat::csv) == ".csv has no vector elements (float32x4)");
  const auto why_text = [](std::vector<std::int64_t> shape) {
    const Layout layout = Layout::c_order(shape, 64);
    return why_not_exportable({"x", dtype("float64"), layout, 64, {}}, TensorFileFormat::csv);
  };
  CHECK(why_text({1 << 14, 1 << 13}).empty());
  const Layout vectors = Layout::c_order({1'000'000'000}, 32);
  CHECK_FALSE(why_not_exportable({"x", {dtype("int4").code, 4, 8}, vectors, 64, {}}, TensorFileFormat::csv).empty());
  CHECK(why_text({1 << 14, 1 << 14}) ==
        "as .csv it would be up to 6 GiB of text, more than the 4 GiB that are written: export a slice of it, or another format");
  CHECK_FALSE(why_text({1 << 28, 1, 1}).empty());
  CHECK_FALSE(why_text({std::int64_t{1} << 55, 1}).empty());
}

TEST_CASE("An export stops where it is told to, and says which byte cannot be read", "[core][files]") {
  const dlscope::tests::GuardedMemory memory(4096);
  const Layout layout = Layout::c_order({16}, 32);
  const auto reader = process_reader(0);
  const ExportedTensor tensor{"x", dtype("float32"), layout, memory.guard_address() - 32, ElementSource::checked(**reader)};
  const auto anything = [](std::string_view) { return true; };
  const auto on = [](std::uint64_t, std::uint64_t) { return true; };
  const auto unreadable = export_tensor(tensor, TensorFileFormat::npy, anything, on);
  REQUIRE_FALSE(unreadable);
  CHECK(unreadable.error().message.starts_with("the byte at 0x"));
  const auto stopped = export_tensor(tensor, TensorFileFormat::npy, [](std::string_view) { return false; }, on);
  CHECK(stopped.error().kind == ErrorKind::cancelled);
}

}  // namespace dlscope::core
