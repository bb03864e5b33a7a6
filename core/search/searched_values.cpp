#include "core/search/searched_values.h"

#include <cstdint>
#include <limits>
#include <string>

#include "core/inventory/single_item.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/tensor/typed_item.h"

namespace dlscope::core {
namespace {

constexpr DType kCount{static_cast<std::uint8_t>(DTypeCode::int_), 64, 1};  // of a date or a duration

Result<ValueTest> test_of_times(const FieldLayout& field, SearchedValue sought, std::string_view text) {
  if (sought == SearchedValue::infinite || sought == SearchedValue::subnormal) return ValueTest::make(kCount, sought);
  if (sought != SearchedValue::equal) text = "NaT";
  const auto count = typed_time(field, text);
  if (!count) return std::unexpected(count.error());
  return ValueTest::make(kCount, SearchedValue::equal, std::to_string(*count));
}

}  // namespace

TensorValues searched_values(const Snapshot& snapshot, const TensorRecord& tensor) {
  TensorValues values = tensor_values(snapshot, tensor);
  if (const FieldLayout* const item = single_item(snapshot, tensor); item != nullptr && is_time(*item)) {
    values.dtype = kCount;
    values.source.reversed_bytes = item->swapped ? sizeof(std::int64_t) : 0;
  }
  return values;
}

Result<ValueTest> value_test(const Snapshot& snapshot, const TensorRecord& tensor, SearchedValue sought, std::string_view text) {
  const FieldLayout* const item = single_item(snapshot, tensor);
  if (item != nullptr && is_time(*item)) return test_of_times(*item, sought, text);
  if (item != nullptr && is_text(*item) && sought == SearchedValue::equal) {
    auto bytes = typed_item(*item, text);
    if (!bytes) return std::unexpected(bytes.error());
    return ValueTest::of_item(std::move(*bytes));
  }
  return ValueTest::make(numbers_of(snapshot, tensor).dtype, sought, text, sign_bits_of(snapshot, tensor));
}

}  // namespace dlscope::core
