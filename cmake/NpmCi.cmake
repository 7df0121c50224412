# cmake -DNPM=... -DFROM=... -DTO=... -P NpmCi.cmake: installs FROM's locked packages into TO, once for a lock file.
# Without a registry a build goes on, without what needs the packages: TO/npm.failed says so.
file(REMOVE ${TO}/npm.failed)
file(MAKE_DIRECTORY ${TO})
file(COPY ${FROM}/package.json ${FROM}/package-lock.json DESTINATION ${TO})
execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --prefer-offline --no-fund --no-audit
  WORKING_DIRECTORY ${TO} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(WARNING "npm ci failed in ${TO}:\n${said}\n"
    "evener lab is built without --html. To try again: rm -r ${TO}")
  file(TOUCH ${TO}/npm.failed)
endif()
file(TOUCH ${TO}/npm.stamp)
