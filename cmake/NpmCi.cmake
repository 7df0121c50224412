# cmake -DNPM=... -DFROM=... -DTO=... -P NpmCi.cmake: installs FROM's locked packages into TO, once for a lock file.
file(MAKE_DIRECTORY ${TO})
file(COPY ${FROM}/package.json ${FROM}/package-lock.json DESTINATION ${TO})
execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --prefer-offline --no-fund --no-audit
  WORKING_DIRECTORY ${TO} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm ci failed in ${TO}:\n${said}\n"
    "Without its registry: cmake -DEV_HTML=OFF builds evener without lab's --html and its test.")
endif()
file(TOUCH ${TO}/npm.stamp)
