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
// ".weight"; where Python's grammar takes no such name after a dot ("layer-1", "class"), its key in the dict that has it:
// ".__dict__['a b']". kept_in: what leads to that dict, or "" when the object itself takes the key: "['layer-1']".
[[nodiscard]] std::string attribute_suffix(PyObject* name, std::string_view kept_in);
// Whether it is a name in Python's grammar and no keyword.
[[nodiscard]] bool may_follow_a_dot(PyObject* name);

}  // namespace dlscope::embed
