#include "core/files/tensor_export.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/files/tensor_file.h"
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
  for (const char* name : {"float32", "int8", "uint64", "bool", "float16", "complex64", "complex128", "bfloat16", "float8_e5m2"}) {
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
          CHECK((std::string(name) == "complex128" || std::string(name) == "bfloat16" || std::string(name) == "float8_e5m2"));
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

TEST_CASE("What a format cannot hold is refused in words", "[core][files]") {
  const auto why = [](DType type, TensorFileFormat format, const char* name = "x") {
    const Layout layout = Layout::c_order({2}, type.item_bits());
    return why_not_exportable({name, type, layout, 64, {}}, format);
  };
  CHECK(why(dtype("bfloat16"), TensorFileFormat::npy) == ".npy has no dtype bfloat16; .safetensors has it");
  CHECK(why(dtype("complex128"), TensorFileFormat::safetensors) == ".safetensors has no dtype complex128; .npy may have it");
  CHECK(why(dtype("int4"), TensorFileFormat::npy) == ".npy is not written with packed elements (int4)");
  CHECK(why({2, 32, 4}, TensorFileFormat::npy) == ".npy has no vector elements (float32x4)");
  CHECK_FALSE(why(dtype("float32"), TensorFileFormat::safetensors, "__metadata__").empty());
}

TEST_CASE("An export stops where it is told to, and says which byte cannot be read", "[core][files]") {
  const dlscope::test::GuardedMemory memory(4096);
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
