// Makes a HeldTensor of an object by what there was before DLPack: __array_interface__, __cuda_array_interface__, the buffer
// protocol.
// thread: GIL held; foreign code runs inside.
#pragma once

#include <memory>
#include <string>

#include "embed/description.h"
#include "embed/objects/type_table.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// protocol: one of kAskArrayInterface, kAskCudaArrayInterface, kAskBuffer. description: must keep what it describes
// (Export::keep); a refusal is added to it. Null, without a Python error: it does not give a tensor by this one; with one: it
// gives none at all.
[[nodiscard]] std::shared_ptr<HeldTensor> hold_by_older(unsigned protocol, PyObject* object, TypeFacts& facts,
                                                        const std::string& name, Description& description);

// "'pandas.Series' offers no tensor: tried ...", and what of it does. Runs none of its code.
[[nodiscard]] std::string offers_no_tensor(PyObject* object);

// Sets the Python error of an object that no protocol gave a tensor of, unless one is set.
void complain_no_protocol(PyObject* object, const std::string& name, const Description& description);

}  // namespace dlscope::embed
