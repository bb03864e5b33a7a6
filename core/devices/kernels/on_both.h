// What runs on the device is written once, as functions of one thread's number, and is plain C++ for the host, too: there the tests
// judge it element by element.
#pragma once

#ifdef __CUDACC__
#define DLSCOPE_ON_BOTH __host__ __device__
#else
#define DLSCOPE_ON_BOTH
#endif
