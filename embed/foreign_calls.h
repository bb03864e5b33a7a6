// What the calls into a producer's code (declared in embed/python_api.h, defined in foreign_calls.cpp) share with
// without_gil.cpp.
#pragma once

namespace dlscope::embed {

// The cleanup handler (pthread_cleanup_push) of a thread that an ending interpreter ends below our frames: it must not return
// to them.
void sleep_for_ever(void*);

}  // namespace dlscope::embed
