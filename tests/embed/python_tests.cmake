# dlscope_add_python_test(embed_libraries numpy_test.py ...): each script a ctest case of its own process, run by the interpreter
# that has the libraries under test (DLSCOPE_TEST_PYTHON; python3 without it) with the built package on its path.
# A script that cannot run here ends with 77 and the reason: skipped, never passed.
# PYTHON VARIABLE: another interpreter, named by that variable of the environment.
# EACH_PYTHON: on every CPython that is found (tests/embed/support/each_python.py): scripts that need the standard library only.
function(dlscope_add_python_tests label)
  cmake_parse_arguments(arg "EACH_PYTHON" "PYTHON" "" ${ARGN})
  if(NOT arg_PYTHON)
    set(arg_PYTHON DLSCOPE_TEST_PYTHON)
  endif()
  set(runner)
  if(arg_EACH_PYTHON)
    set(runner "${PROJECT_SOURCE_DIR}/tests/embed/support/each_python.py")
  endif()
  foreach(script IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(name "${script}" NAME_WE)
    add_test(NAME "${label}: ${name}"
      COMMAND sh -c "exec \"\${${arg_PYTHON}:-python3}\" \"$@\"" sh ${runner} "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
    set_tests_properties("${label}: ${name}" PROPERTIES LABELS embed SKIP_RETURN_CODE 77 TIMEOUT 600
      ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python:${PROJECT_SOURCE_DIR}/tests/embed/support;PYTHONDONTWRITEBYTECODE=1")
    if("address" IN_LIST DLSCOPE_SANITIZE)  # PaddlePaddle frees with `delete` what `new[]` made
      set_tests_properties("${label}: ${name}" PROPERTIES
        ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=string_append::alloc_dealloc_mismatch=0")
    endif()
  endforeach()
endfunction()
