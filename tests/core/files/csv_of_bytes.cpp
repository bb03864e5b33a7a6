// A tensor as CSV, from bytes that somebody else gives: csv_of_bytes TYPE ROWS COLUMNS reads the elements in C order from the standard
// input. TYPE: a NumPy typestr ("<M8[D]"), "int4" in a byte of its own, or "record": [('a', '>i4'), ('b', '<f8'), ('c', '|u1', (2,))].
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <iostream>
#include <string>

#include "core/files/tensor_export.h"
#include "core/tensor/item_format.h"

namespace {

using namespace dlscope::core;

Result<ItemType> item_of(const std::string& type) {
  if (type == "int4") return number_item(*dtype_from_name("int4"), false);
  if (type != "record") return item_of_typestr(type);
  const std::vector<DescribedMember> members{{"a", ">i4", {}, {}}, {"b", "<f8", {}, {}}, {"c", "|u1", {}, {2}}};
  return item_of_members(members);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto item = item_of(argv[1]);
  if (!item) return 2;
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  const Layout layout = Layout::c_order({std::atoll(argv[2]), std::atoll(argv[3])}, item->bytes * 8);
  if (bytes.size() != validate(layout)->elements * item->bytes) return 2;
  const ExportedTensor tensor{.name = "x",
                              .dtype = dtype_of_item(item->bytes),
                              .layout = layout,
                              .address = reinterpret_cast<Address>(bytes.data()),
                              .source = ElementSource::held_memory(),
                              .item = &*item};
  const auto written = export_tensor(
      tensor, TensorFileFormat::csv,
      [](std::string_view text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size(); },
      [](std::uint64_t, std::uint64_t) { return true; });
  return written ? 0 : 1;
}
