# cmake -DNODE=... -DFROM=web/report -DIN=... -DNONE=no_assets.cc -DOUT=... -P BundleReport.cmake: the report's script
# and style as one C++ file; NONE where npm could not install.
if(EXISTS ${IN}/npm.failed)
  file(COPY_FILE ${NONE} ${OUT})
  return()
endif()
file(COPY ${FROM}/src ${FROM}/build.mjs DESTINATION ${IN})
execute_process(COMMAND ${NODE} build.mjs ${OUT} WORKING_DIRECTORY ${IN} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "bundling ${FROM} failed")
endif()
