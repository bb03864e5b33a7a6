// Whether this process is a child made by fork() of a host's: the region is not mapped there, and the host's threads are gone.
#pragma once

namespace dlscope::embed {

void notice_forks();  // once, before the first fork
[[nodiscard]] bool is_forked_child();  // thread: any

}  // namespace dlscope::embed
