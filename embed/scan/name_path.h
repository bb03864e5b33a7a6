// How a tensor inside a container is called: what the user would type to get it: d['w'], d[(1, 2)], l[0], model.weight.
// thread: GIL held. Runs no code of the user's: keys of classes of their own are named by their type and number.
#pragma once

#include <string>
#include <string_view>

#include "embed/python_api.h"

namespace dlscope::embed {

// "['w']", "[3]", "[(1, 2)]", "[float('inf')]", "[<Point 0>]", "[<nan 0>]". index: the entry's number in the dict, for keys that nobody
// can type.
[[nodiscard]] std::string key_suffix(PyObject* key, std::size_t index);
// "[12]"
[[nodiscard]] std::string index_suffix(std::size_t index);
// "<12>": no Python expression names an element of a set
[[nodiscard]] std::string set_suffix(std::size_t index);
// ".weight"; "[0]" for the digits torch uses as names of a Sequential's parts
[[nodiscard]] std::string attribute_suffix(std::string_view name);

}  // namespace dlscope::embed
