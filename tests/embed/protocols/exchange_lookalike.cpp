// The functions of an exchange table that misbehaves as it is told, in a file whose name passes for PyTorch's: a table is believed only
// as far as its functions are a known library's code, and even then its answer is checked. Loaded by exchange_table_test.py.
#include "embed/python_api.h"

namespace {

enum class Answer : int { gives, fails_with_error, fails_without_error, gives_null, gives_beside_an_error, fails_with_a_struct };
Answer answer = Answer::gives;
void* managed = nullptr;
int calls = 0;

}  // namespace

#define LOOKALIKE extern "C" __attribute__((visibility("default")))

LOOKALIKE void lookalike_answer(int which, void* with) {
  answer = static_cast<Answer>(which);
  managed = with;
  calls = 0;
}

LOOKALIKE int lookalike_calls() { return calls; }

LOOKALIKE int lookalike_from_object(void*, void** out) {
  ++calls;
  const bool is_error = answer == Answer::fails_with_error || answer == Answer::gives_beside_an_error;
  if (is_error) PyErr_SetString(PyExc_RuntimeError, "the table's own words");
  const bool gives = answer == Answer::gives || answer == Answer::gives_beside_an_error || answer == Answer::fails_with_a_struct;
  *out = gives ? managed : nullptr;
  return answer == Answer::gives || answer == Answer::gives_null || answer == Answer::gives_beside_an_error ? 0 : -1;
}

// Whatever else a table has: never to be called by an import.
LOOKALIKE int lookalike_never() {
  ++calls;
  return -1;
}
