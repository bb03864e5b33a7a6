# What a shipped file may ask for and give away, as a test: cmake -DFILE=x.so -DNEEDED=<regex> [-DEXPORTS=<regex>] -P check_shipped.cmake
# Everything else is linked statically and hidden: the user's process may hold other versions of the same libraries.

execute_process(COMMAND readelf -d "${FILE}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^[]*\\[[^]]*" libraries "${dynamic}")
foreach(line IN LISTS libraries)
  string(REGEX REPLACE ".*\\[" "" library "${line}")
  if(NOT library MATCHES "^(${NEEDED})\\.so")
    message(SEND_ERROR "${FILE} needs ${library}")
  endif()
endforeach()

if(EXPORTS)
  execute_process(COMMAND nm -D --defined-only "${FILE}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  foreach(line IN LISTS symbols)
    string(REGEX REPLACE "^.* " "" symbol "${line}")
    if(NOT symbol MATCHES "^(${EXPORTS})$")
      message(SEND_ERROR "${FILE} exports ${symbol}")
    endif()
  endforeach()
endif()
