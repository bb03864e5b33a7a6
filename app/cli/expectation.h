// --expect: a sentence about sharing, checked against a snapshot by name. "x shares y", "x identical y",
// "x disjoint y", "dlscope copies nothing".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct Expectation {
  enum class Kind : std::uint8_t { shares, identical, disjoint, copies_nothing };
  Kind kind{};
  std::string a, b;  // name paths; empty for copies_nothing
  std::string text;  // as written
};

// Names may hold blanks inside brackets: d['my weights'] shares y. Any other name with a blank has to be quoted: 'my name' shares
// y. Inside quotes a backslash escapes a quote or a backslash. Fails (with a message) when it is no such sentence.
[[nodiscard]] core::Result<Expectation> parse_expectation(std::string_view text);

struct Verdict {
  bool holds = false;
  std::string evidence;  // one line: addresses, extents, relation, shared bytes, or which name was not found
};

// d["a"] as names are spelt, d['a'].
[[nodiscard]] std::string with_pythons_quotes(std::string_view name);

// Names separated by blanks, quoted as above: "x y 'my name'".
[[nodiscard]] std::vector<std::string> split_names(std::string_view text);

// snapshot: null when nothing was scanned; nothing holds then.
[[nodiscard]] Verdict judge(const Expectation& expectation, const core::Snapshot* snapshot);

}  // namespace dlscope::app
