// Whether a copy that a library made has the values of its source, where these are not what lies in the source's memory.
#include <catch2/catch_test_macros.hpp>

#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::wire::HandedOver;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

TEST_CASE("a copy of the raw bytes of a tensor with a negative bit has wrong values", "[host][work][torch]") {
  HostProcess host(library_python());
  // One element on, so that JAX, which wants aligned memory, copies.
  const auto snapshot = look_after(host, R"(
try:
    import jax, torch
    negated = torch._neg_view(torch.arange(6.))[1:]
    imaginary = torch.complex(torch.zeros(6), torch.arange(6.)).conj().imag
    zeros = torch._neg_view(torch.zeros(6))[1:]
    plain = torch.arange(6.)[1:]
    print('there', flush=True)
except ImportError as error:
    print('not there', error, flush=True)
)");
  REQUIRE(host.wait_for_output("there"));
  if (snapshot->find("plain") == nullptr) SKIP("PyTorch or JAX is not installed: " << host.out());
  const auto handed = [&](const char* tensor) {
    const WorkEnded end = carry_out(host, hand_to(snapshot, tensor, "jax"));
    REQUIRE(end.outcome == WorkOutcome::done);
    return std::get<HandedOver>(end.result);
  };
  const HandedOver lost = handed("negated");
  INFO(lost.error << lost.values);
  REQUIRE(lost.step.verdict == core::HandOver::copied);
  CHECK(lost.verdict == "WRONG VALUES");
  CHECK(lost.values == "5 of 5 values differ: the negative bit is lost");
  REQUIRE(console(host, "import numpy; print('judged', (numpy.asarray(negated_jax) == -negated.resolve_neg().numpy()).all(), flush=True)"));
  CHECK(host.wait_for_output("judged True"));
  const HandedOver none = handed("zeros");
  CHECK(none.verdict == "COPIED");
  CHECK(none.values == "all 5 values are the source's");
  const HandedOver plain = handed("plain");
  CHECK(plain.verdict == "COPIED");
  CHECK(plain.values == "all 5 elements have the source's bits");
  const HandedOver part = handed("imaginary");
  INFO(part.error << part.values);
  CHECK((part.verdict == "REFUSED" || part.verdict == "WRONG VALUES"));
}
