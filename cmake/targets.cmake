# How the folders declare what they build. Sources are listed, never globbed.
#
#   dlscope_add_library(dlscope_core SOURCES a.cpp b.cpp [LINK dlscope::fmt] [LINK_PRIVATE dlscope::dlpack])
#       static library, C++23, hidden symbols, our warnings; include root is the repository's root. LINK is PUBLIC.
#   dlscope_vector_sources(block_kernels.cpp)
#       sources of core, from the folder that lists them, whose loops Highway compiles once per instruction set.
#   dlscope_add_executable(dlscope-host SOURCES main.cpp [LINK_PRIVATE dlscope_core])
#       lands in the build folder itself (build/release/dlscope-host); libstdc++ inside.
#   dlscope_add_python_module(_dlscope SOURCES module.cpp [LINK_PRIVATE dlscope_embed] [PACKAGE embed/python/dlscope])
#       abi3 module python/dlscope/_dlscope.abi3.so, exports PyInit__dlscope only; the Python files and stubs of PACKAGE (path
#       from the repository's root) are copied beside it whenever they change.
#   dlscope_add_test(core_tensor_test SOURCES layout_test.cpp [LINK_PRIVATE dlscope_core] [LABELS core] [NO_MAIN] [STARTS_PYTHON])
#       Catch2 executable in build/tests/, every TEST_CASE a ctest case; one label. NO_MAIN: the sources bring their own main().
#       STARTS_PYTHON: it has interpreters as children, so that an address sanitizer does not look for leaks.
#       Tests find things through the environment: DLSCOPE_BUILD_DIR, DLSCOPE_SOURCE_DIR are always set (also by hand);
#       scripts/test adds DLSCOPE_TEST_PYTHON (interpreter with the libraries under test), DLSCOPE_TEST_PYTHON_OLD (NumPy 1.x),
#       _PLOTS (matplotlib), _TABLES (pandas, Polars), DLSCOPE_TEST_PYTHONS_TOOLS (debuggers, one for each Python) and
#       DLSCOPE_TEST_WHEEL.
#   dlscope_add_benchmark(name SOURCES x.cpp [LINK_PRIVATE ...])
#       Google Benchmark executable in build/bench/; built by target "bench", never run by ctest.
#
# Third-party targets: dlscope::dlpack, dlscope::xxhash, dlscope::python_abi3 (dependencies.cmake), dlscope::imgui ... (imgui.cmake),
# dlscope::fmt, nlohmann_json::nlohmann_json, CLI11::CLI11, dlscope::png, Threads::Threads. Ours: dlscope_build_id, dlscope_fonts.

if(DLSCOPE_BUILD_TESTS)
  enable_testing()
endif()

# Registers the test that a shipped file needs and exports nothing but this (cmake/check_shipped.cmake).
function(dlscope_check_shipped name needed exports)
  if(DLSCOPE_BUILD_TESTS AND NOT DLSCOPE_SANITIZE)
    add_test(NAME "shipped: ${name} needs and exports only what it must" COMMAND "${CMAKE_COMMAND}" -DFILE=$<TARGET_FILE:${name}>
      "-DNEEDED=libc|libm|libdl|libpthread|librt|ld-linux-.*|libgcc_s${needed}" "-DEXPORTS=${exports}" -DGLIBC=${DLSCOPE_OLDEST_GLIBC}
      -P "${PROJECT_SOURCE_DIR}/cmake/check_shipped.cmake")
  endif()
endfunction()

macro(dlscope_parse)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MAIN;STARTS_PYTHON" "PACKAGE;LABELS" "SOURCES;LINK;LINK_PRIVATE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${name}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()

function(dlscope_add_library name)
  dlscope_parse()
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC dlscope_options ${arg_LINK} PRIVATE dlscope_warnings ${arg_LINK_PRIVATE})
endfunction()

# x86-64: portable code, AVX2 and AVX-512; older vector instructions are not worth their compile time. Highway leaves its portable
# code out for a compiler fault in high multiplication (GCC bug 106322), which nothing of ours uses; the tests run it too.
function(dlscope_vector_sources)
  set_source_files_properties(${ARGV} TARGET_DIRECTORY dlscope_core PROPERTIES
    COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL);HWY_BROKEN_EMU128=0")
  target_link_libraries(dlscope_core PRIVATE dlscope::highway)
endfunction()

function(dlscope_add_executable name)
  dlscope_parse()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE dlscope_options dlscope_warnings dlscope_shipped ${arg_LINK} ${arg_LINK_PRIVATE})
  dlscope_check_shipped(${name} "${dlscope_png_needed}" "")
endfunction()

function(dlscope_add_python_module name)
  dlscope_parse()
  set(package "${PROJECT_BINARY_DIR}/python/dlscope")
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".abi3.so" LIBRARY_OUTPUT_DIRECTORY "${package}")
  target_link_libraries(${name} PRIVATE dlscope_options dlscope_warnings dlscope_shipped dlscope::python_abi3
    ${arg_LINK} ${arg_LINK_PRIVATE})
  set(exports "${PROJECT_BINARY_DIR}/generated/${name}.map")
  file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: PyInit_${name}; local: *; };\n" @ONLY)
  target_link_options(${name} PRIVATE "-Wl,--version-script=${exports}")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${exports}")
  dlscope_check_shipped(${name} "" "PyInit_${name}")
  if(arg_PACKAGE)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}" "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}/*.py" "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}/*.pyi" "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}/py.typed")
    foreach(file IN LISTS files)
      add_custom_command(OUTPUT "${package}/${file}"
        COMMAND "${CMAKE_COMMAND}" -E copy "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}/${file}" "${package}/${file}"
        DEPENDS "${PROJECT_SOURCE_DIR}/${arg_PACKAGE}/${file}" VERBATIM)
      list(APPEND copies "${package}/${file}")
    endforeach()
    add_custom_target(${name}_package ALL DEPENDS ${copies})
    add_dependencies(${name} ${name}_package)
  endif()
endfunction()

if(DLSCOPE_BUILD_TESTS)
  add_custom_target(bench)
  # A test run by hand sees what a test run by ctest sees.
  set(test_environment "${PROJECT_BINARY_DIR}/generated/test_environment.cpp")
  file(CONFIGURE OUTPUT "${test_environment}" @ONLY CONTENT [=[
#include <cstdlib>
namespace {
[[gnu::constructor]] void set_test_environment() {
  setenv("DLSCOPE_BUILD_DIR", "@PROJECT_BINARY_DIR@", 0);
  setenv("DLSCOPE_SOURCE_DIR", "@PROJECT_SOURCE_DIR@", 0);
#ifdef DLSCOPE_CHILDREN_ARE_NOT_OURS
  unsetenv("LD_PRELOAD");  // the sanitizer's runtime (scripts/sanitizers.sh) would slow them down and report on them
#endif
}
}  // namespace
]=])
endif()

function(dlscope_add_test name)
  dlscope_parse()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(arg_NO_MAIN)
    set(catch Catch2::Catch2)
  else()
    set(catch Catch2::Catch2WithMain)
  endif()
  target_link_libraries(${name} PRIVATE dlscope_options dlscope_warnings ${catch} ${arg_LINK} ${arg_LINK_PRIVATE})
  target_sources(${name} PRIVATE "${test_environment}")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # of the test itself: compiled more often than run
  if(NOT arg_LABELS)
    set(arg_LABELS ${name})  # an empty value would swallow the next property
  endif()
  set(leaks)
  if(DLSCOPE_SANITIZE MATCHES address AND NOT arg_STARTS_PYTHON)
    target_compile_definitions(${name} PRIVATE DLSCOPE_CHILDREN_ARE_NOT_OURS)
    set(leaks ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=path_list_append:detect_leaks=1")
  endif()
  catch_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}: "
    PROPERTIES LABELS ${arg_LABELS} TIMEOUT 300 ${leaks})
endfunction()

function(dlscope_add_benchmark name)
  dlscope_parse()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_link_libraries(${name} PRIVATE dlscope_options dlscope_warnings benchmark::benchmark ${arg_LINK} ${arg_LINK_PRIVATE})
  add_dependencies(bench ${name})
endfunction()
