#include "core/sharing/residue_clusters.h"

#include <algorithm>

#include "core/base/radix_sort.h"

namespace dlscope::core {

std::vector<std::span<const std::uint32_t>> clusters_of_residues(std::vector<ResidueSpan>& spans, std::uint64_t modulus,
                                                                 std::vector<std::uint32_t>& owners) {
  sort_by_key(spans, [](const ResidueSpan& span) { return span.begin; });
  // Start at the first span that no wrapped-around span reaches. If there is none, all spans form one cluster.
  std::uint64_t wrapped = 0;  // residues below this are covered by spans that wrapped around
  for (const ResidueSpan& span : spans) {
    if (span.begin + span.length > modulus) wrapped = std::max(wrapped, span.begin + span.length - modulus);
  }
  std::size_t first = 0;
  for (; first < spans.size() && spans[first].begin < wrapped; ++first)
    wrapped = std::max(wrapped, spans[first].begin + spans[first].length);

  owners.clear();
  std::vector<std::size_t> starts;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::size_t at = first + i;
    const ResidueSpan& span = spans[at < spans.size() ? at : at - spans.size()];
    const std::uint64_t begin = span.begin + (at < spans.size() ? 0 : modulus);  // the ones before `first` come last
    if (i == 0 || (begin >= end && first < spans.size())) starts.push_back(i);
    end = std::max(end, begin + span.length);
    owners.push_back(span.owner);
  }
  std::vector<std::span<const std::uint32_t>> clusters;
  clusters.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t behind = i + 1 < starts.size() ? starts[i + 1] : owners.size();
    const auto cluster = std::span(owners).subspan(starts[i], behind - starts[i]);
    std::ranges::sort(cluster);
    clusters.push_back(cluster);
  }
  return clusters;
}

}  // namespace dlscope::core
