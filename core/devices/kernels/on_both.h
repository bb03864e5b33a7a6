// DLSCOPE_ON_BOTH marks functions that run on the device and on the host. A kernel's work is written as plain C++ functions of a
// thread's number, so that tests can check it on the host, element by element.
#pragma once

#ifdef __CUDACC__
#define DLSCOPE_ON_BOTH __host__ __device__
#else
#define DLSCOPE_ON_BOTH
#endif
