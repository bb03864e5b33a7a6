#include "embed/tensors/known_types.h"

#include "core/base/clock.h"

namespace dlscope::embed {

KnownTypes& KnownTypes::current() {
  static KnownTypes* known = nullptr;
  const std::int64_t now_ns = core::monotonic_ns();
  PyObject* const modules = PySys_GetObject("modules");
  const Py_ssize_t count = modules != nullptr && PyDict_Check(modules) ? PyDict_Size(modules) : 0;
  if (known == nullptr || known->nested_ == 0) {
    if (known == nullptr || known->discard_ || known->modules_ != count || now_ns - known->made_ns_ > kLongestNs) {
      delete known;
      known = new KnownTypes(now_ns, count);
    }
  }
  return *known;
}

KnownTypes::Entry KnownTypes::of(PyObject* object) {
  TypeFacts& facts = types_.facts_of(object);
  types_.name_library(facts);
  if (facts.library == nullptr || !facts.producer.may_be_mapped) discard_ = true;
  if (last_facts_ != &facts) {
    last_facts_ = &facts;
    last_name_ = qualified_name(facts.type.get());
  }
  return {facts, last_name_};
}

}  // namespace dlscope::embed
