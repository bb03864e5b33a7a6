// The devices that a copy can be made on, and what is said of one that was made.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "app/models/exchange/exchange_choice.h"
#include "app/models/exchange/exchange_text.h"
#include "core/compare/changed_values.h"

namespace dlscope::app {
namespace {

TEST_CASE("a copy on a oneAPI device is offered where one is known, for a library that has memory there", "[app][models]") {
  const ExchangeLibrary dpnp{"dpnp", "0.20", "dpnp.from_dlpack", true, {"cpu", "oneapi"}};
  const ExchangeLibrary torch{"torch", "2.13", "torch.from_dlpack", true, {"cpu", "cuda"}};
  const ExchangeLibrary own{"dlscope", "0.1", "dlscope.from_dlpack", true, {"cpu", "cuda", "oneapi"}};
  const auto why_not = [](const core::Snapshot& known, const ExchangeLibrary* library, const char* device) {
    const auto rows = copy_devices(known, library);
    const auto row = std::ranges::find(rows, device, &DeviceRow::device);
    REQUIRE(row != rows.end());
    return row->why_not;
  };
  core::Snapshot known;
  CHECK(why_not(known, &dpnp, "oneapi:0").starts_with("No oneAPI device is known"));
  known.tensors.resize(1);
  known.tensors[0].device = {14, 1};
  CHECK(why_not(known, &dpnp, "oneapi:1").empty());
  for (const ExchangeLibrary* const other : {static_cast<const ExchangeLibrary*>(nullptr), &torch, &own})
    CHECK(why_not(known, other, "oneapi:1").starts_with("dlscope has no memory of its own there"));
}

TEST_CASE("a copy is told with its rate beside a plain one, its way, and whether it was compared", "[app][models]") {
  core::wire::Copied copied;
  copied.bytes = std::uint64_t{64} << 20;
  copied.ns = 10'000'000;
  copied.plain_ns = 8'400'000;
  copied.path = "host -> pinned ring -> cuda:0, packed by a kernel";
  copied.compared = true;
  CHECK(copied_text(copied) ==
        "64.0 MiB in 10.0 ms, 6.7 GB/s, 84 % of a plain copy here; host -> pinned ring -> cuda:0, packed by a kernel; every "
        "element was compared with the source afterwards and is equal");
  copied.compared = false;
  copied.why_not_compared = "packed elements of more than 64 MiB are not compared";
  copied.plain_ns = 0;
  CHECK(copied_text(copied) == "64.0 MiB in 10.0 ms, 6.7 GB/s; host -> pinned ring -> cuda:0, packed by a kernel; not compared: "
                               "packed elements of more than 64 MiB are not compared");
  core::wire::Copied converted;
  converted.bytes = 6;
  converted.ns = 3000;
  converted.compared = true;
  converted.path = "cpu -> cpu, converted in tiles; " + core::conversion_text({5, 6});
  CHECK(copied_text(converted) ==
        "6 B in 3 µs; cpu -> cpu, converted in tiles; the conversion changed 5 of 6 values; every element was compared afterwards and "
        "is what the conversion of the source's gives");
  CHECK(rate_text(std::uint64_t{32} << 20, 1'530'000'000) == "32.0 MiB in 1.53 s, 21.9 MB/s");  // not "0.0 GB/s"
  CHECK(plain_copy_text(1 << 20, 100, 84).empty());  // in the caches, as the plain copy was not
  CHECK(plain_copy_text(std::uint64_t{16} << 20, 0, 84).empty());
}

}  // namespace
}  // namespace dlscope::app
