#include "core/memory/mapped_here.h"

#include <sys/mman.h>
#include <unistd.h>

namespace dlscope::core {

bool is_mapped_here(Address address) {
  const auto page = static_cast<Address>(::sysconf(_SC_PAGESIZE));
  unsigned char there = 0;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &there) == 0;
}

}  // namespace dlscope::core
