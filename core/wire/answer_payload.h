// What the encodings of typed answers have in common: bounded lists, repaired texts, and one error for malformed bytes.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/utf8_text.h"
#include "core/wire/payload.h"

namespace dlscope::core::wire {

inline std::string get_repaired(PayloadReader& in, std::size_t most) {
  const std::string text = get_bounded(in, most);
  return repaired_utf8(text);
}

// The first `most` of them, each written by put(each).
template <class T, class Put>
void put_list(PayloadWriter& out, const std::vector<T>& list, std::size_t most, Put put) {
  const std::size_t count = std::min(list.size(), most);
  out.number(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) put(list[i]);
}

// get() reads one. Stops at the first malformed one, so that a lying count costs nothing.
template <class T, class Get>
void get_list(PayloadReader& in, std::vector<T>& list, std::size_t most, Get get) {
  const auto count = in.number<std::uint32_t>();
  if (count > most) return in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) list.push_back(get());
}

inline std::string as_text(std::vector<std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The answer, if all of it was read and nothing was malformed.
template <class T>
Result<T> checked(T answer, const PayloadReader& in) {
  if (in.complete()) return answer;
  return fail(ErrorKind::invalid, "Python's answer is not in the expected form");
}

}  // namespace dlscope::core::wire
