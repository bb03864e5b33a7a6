// The long run of agreement_test.cpp and unchanged_sharing_test.cpp: sharing_agreement [SMALL LARGE SCENES EDITS [SEED]], by default a
// million small pairs against brute force, 1e5 large ones against the general path, 1e4 scenes, and 1e5 analyses of edited scenes that
// take over what did not change. Exit 1 with the first difference.
#include <charconv>
#include <cstdio>
#include <cstring>

#include "tests/core/inventory/refresh_agreement.h"
#include "tests/core/sharing/agreement.h"

namespace {

std::uint64_t number(int argc, char** argv, int at, std::uint64_t otherwise) {
  if (at < argc) std::from_chars(argv[at], argv[at] + std::strlen(argv[at]), otherwise);
  return otherwise;
}

bool report(const char* what, const dlscope::core::test::Agreement& agreement) {
  std::printf("%s: %llu cases, %s\n", what, static_cast<unsigned long long>(agreement.cases),
              agreement.difference ? agreement.difference->c_str() : "all agree");
  std::fflush(stdout);
  return !agreement.difference;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dlscope::core::test;
  const std::uint64_t seed = number(argc, argv, 5, 1);
  bool agree = report("small pairs, brute force", agree_with_brute_force(number(argc, argv, 1, 1'000'000), seed));
  agree &= report("large pairs, general path", agree_with_general_path(number(argc, argv, 2, 100'000), seed));
  agree &= report("scenes, all with all", scenes_agree(number(argc, argv, 3, 10'000), seed));
  agree &= report("edited scenes, full analysis", refreshes_agree(number(argc, argv, 4, 100'000), seed));
  return agree ? 0 : 1;
}
