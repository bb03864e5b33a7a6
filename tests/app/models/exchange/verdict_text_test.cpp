#include "app/models/exchange/verdict_text.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "core/wire/copy_not_made.h"

namespace {

using namespace dlscope;
using Catch::Matchers::ContainsSubstring;
using core::wire::HandedOver;

HandedOver handed(core::HandOver verdict, const char* from, const char* to) {
  HandedOver done;
  done.verdict = core::hand_over_name(verdict);
  done.name = "r_torch";
  done.step.verdict = verdict;
  done.step.from = "r";
  done.step.to = "r_torch";
  done.step.from_writability = from;
  done.step.to_writability = to;
  return done;
}

}  // namespace

TEST_CASE("a copy that was asked for and not made is the first thing that is said", "[app][exchange]") {
  HandedOver done = handed(core::HandOver::shared, "yes", "yes");
  done.step.why = std::string(core::wire::kCopyNotMade) + " by jax: both are the same 256 bytes";
  CHECK_THAT(std::string(app::verdict_meaning(done)), ContainsSubstring("a copy was asked for (copy=True), and none was made"));
  CHECK_THAT(app::hand_over_log_text(done, "r", "jax"), ContainsSubstring("none was made by jax"));
}

TEST_CASE("with a tensor of no elements there is nothing to decide, and nothing is left undecided", "[app][exchange]") {
  HandedOver done = handed(core::HandOver::unknown, "yes", "yes");
  done.step.shared_bytes = 0;
  done.step.from_address = done.step.to_address = 0;
  done.step.why = "the first has no bytes: there is nothing to share or to copy";
  CHECK_THAT(std::string(app::verdict_meaning(done)), ContainsSubstring("there is nothing to share or to copy"));
  const auto lines = app::evidence_of(done.step);
  for (const char* const label : {"first element", "shared bytes", "write probe"})
    CHECK(std::ranges::find(lines, label, &app::EvidenceLine::first) == lines.end());
  done.step.shared_bytes = core::kUnknown64;
  CHECK_THAT(std::string(app::verdict_meaning(done)), ContainsSubstring("could not be decided"));
}

TEST_CASE("who has no DLPack is not said to have raised in it", "[app][exchange]") {
  HandedOver done;
  done.verdict = "REFUSED";
  done.error_type = "AttributeError";
  done.error = "'bytearray' object has no attribute '__dlpack_device__'";
  done.calls = {{"b.__dlpack_device__()", "AttributeError: " + done.error, true},
                {"torch.from_dlpack(b)", "AttributeError: " + done.error, true}};
  CHECK_THAT(std::string(app::verdict_meaning(done)), ContainsSubstring("has no DLPack to offer"));
  CHECK_THAT(app::hand_over_log_text(done, "b", "torch"), ContainsSubstring("it has no DLPack"));
}

TEST_CASE("what must not be written is warned of where the result shares it and does not say so", "[app][exchange]") {
  using enum core::HandOver;
  for (const char* const from : {"no", "immutable by contract"}) {
    const HandedOver lost = handed(shared, from, "yes");
    CHECK_THAT(app::write_warning(lost.step),
               ContainsSubstring("but r_torch lets itself be written. Writing to r_torch changes memory that must not be"));
    const bool had_flag = std::string_view(from) == "no";
    CHECK(app::write_warning(lost.step).starts_with(had_flag ? "The read-only flag is lost: r is read-only"
                                                             : "r is immutable by contract"));
    CHECK_THAT(app::write_warning(handed(partly_shared, from, "unknown").step), ContainsSubstring("Do not write to r_torch"));
    CHECK(app::write_warning(handed(copied, from, "yes").step).empty());
    CHECK(app::write_warning(handed(unknown, from, "yes").step).empty());
    for (const char* const to : {"no", "immutable by contract"}) CHECK(app::write_warning(handed(shared, from, to).step).empty());
    CHECK_THAT(app::hand_over_log_text(lost, "r", "torch"),
               ContainsSubstring("r handed to torch: SHARED, bound to r_torch") && ContainsSubstring("lets itself be written"));
  }
  for (const char* const to : {"yes", "no", "unknown"}) CHECK(app::write_warning(handed(shared, "yes", to).step).empty());
}

TEST_CASE("of two tensors that were not handed over none is said to have lost a flag", "[app][exchange]") {
  using enum core::HandOver;
  const auto said = [](core::HandOver verdict, const char* from, const char* to) {
    return app::unlike_writability(handed(verdict, from, to).step);
  };
  CHECK(said(shared, "no", "yes") == "r is read-only; r_torch can be written, and both show the same bytes.");
  CHECK(said(partly_shared, "immutable by contract", "yes") ==
        "r is immutable by contract; r_torch can be written, and both show the same bytes.");
  CHECK(said(shared, "no", "unknown").empty());
  CHECK(said(shared, "no", "no").empty());
  CHECK(said(shared, "yes", "yes").empty());
  CHECK(said(copied, "no", "yes").empty());
  CHECK(said(unknown, "no", "yes").empty());
}

TEST_CASE("a verdict does not say that an immutable tensor is written", "[app][exchange]") {
  using enum core::HandOver;
  const auto meaning = [](const HandedOver& done) { return std::string(app::verdict_meaning(done)); };
  CHECK_THAT(meaning(handed(copied, "yes", "yes")), ContainsSubstring("writing to it changes nothing else"));
  CHECK_THAT(meaning(handed(copied, "yes", "immutable by contract")),
             ContainsSubstring("immutable by contract") && !ContainsSubstring("writing to it"));
  CHECK_THAT(meaning(handed(shared, "yes", "yes")), ContainsSubstring("a write through one shows in the other"));
  CHECK_THAT(meaning(handed(shared, "no", "yes")), !ContainsSubstring("a write through one"));
  CHECK_THAT(meaning(handed(shared, "no", "no")), ContainsSubstring("Neither may be written"));
  CHECK(meaning(handed(partly_shared, "yes", "yes")) == app::verdict_meaning("PARTLY SHARED"));
}

TEST_CASE("a write to the source that changes an immutable result is warned of", "[app][exchange]") {
  using enum core::HandOver;
  for (const char* const from : {"yes", "unknown"}) {
    const HandedOver done = handed(shared, from, "immutable by contract");
    CHECK(app::write_warning(done.step) ==
          "r_torch is immutable by contract, and its memory is that of r. Writing to r changes r_torch, which its library takes "
          "to be "
          "constant.");
    CHECK(app::verdict_meaning(done).find("a write through one shows in the other") == std::string_view::npos);
    CHECK_THAT(app::hand_over_log_text(done, "r", "jax"), ContainsSubstring("Writing to r changes r_torch"));
    CHECK(app::write_warning(handed(copied, from, "immutable by contract").step).empty());
  }
  CHECK(app::write_warning(handed(shared, "immutable by contract", "immutable by contract").step).empty());
  CHECK_THAT(std::string(app::verdict_meaning(handed(shared, "yes", "no"))), ContainsSubstring("may only be read"));
}

TEST_CASE("a refusal names the side that raised", "[app][exchange]") {
  HandedOver done;
  done.verdict = "REFUSED";
  done.error_type = "BufferError";
  done.error = "Cannot export readonly array";
  const std::string raised = "BufferError: Cannot export readonly array";
  const auto said = [&](std::vector<core::wire::ExchangeCall> calls) {
    done.calls = std::move(calls);
    return std::string(app::verdict_meaning(done)) + " | " + app::hand_over_log_text(done, "ro", "jax");
  };
  const std::string by_producer = said({{"ro.__dlpack_device__()", "(1, 0): cpu", false},
                                        {"ro.__dlpack__()", raised, true},
                                        {"jax.dlpack.from_dlpack(ro)", raised, true}});
  CHECK_THAT(by_producer, ContainsSubstring("The tensor's own side refused it: its __dlpack__ raised"));
  CHECK_THAT(by_producer, ContainsSubstring("ro handed to jax: REFUSED, its own __dlpack__ raised: BufferError: Cannot export"));
  CHECK_THAT(said({{"ro.__dlpack_device__()", raised, true}}), ContainsSubstring("its __dlpack_device__ raised"));
  // The producer raised on the way, but was asked again, and the library refused for a reason of its own.
  const std::string by_library = said({{"ro.__dlpack__(max_version=(1, 0))", "TypeError: max_version", true},
                                       {"ro.__dlpack__()", "legacy capsule 'dltensor'", false},
                                       {"jax.dlpack.from_dlpack(ro)", raised, true}});
  CHECK_THAT(by_library,
             ContainsSubstring("The library that was to take it refused it.") && ContainsSubstring("the library refused it"));
  // The line of a library that is given the capsule has the producer's call in it.
  CHECK_THAT(said({{"tensorflow.experimental.dlpack.from_dlpack(ro.__dlpack__())", raised, true}}),
             ContainsSubstring("The library that"));
  CHECK_THAT(said({{"import jax", "", false}}), ContainsSubstring("It came to no call"));
}
