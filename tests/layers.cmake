# Which room may include which: reads the #include lines of the C++ and fails with the offending pair, and fails on a
# source file over 400 lines. Run as  cmake -DSOURCE=<repository> -P tests/layers.cmake ; with -DSELF_TEST=ON it only
# checks itself, by includes that it must refuse and includes that it must allow (every run does so first).
cmake_minimum_required(VERSION 3.20)

set(MAX_LINES 400)
set(ROOMS io core ops cpu webgl nn optim models forecast tables train bindings native_host)

# A word with a dot is one file, a word without is a room. Every room may include itself, and io/error.h, which holds
# the one error type.
set(io_MAY)
set(core_MAY)
set(ops_MAY core)
set(cpu_MAY core ops/pointwise.def)
set(webgl_MAY core ops/pointwise.def)
set(nn_MAY ops core)
set(optim_MAY ops core)
set(models_MAY nn ops core)
set(forecast_MAY io)
set(tables_MAY forecast io core/random.h)
set(train_MAY models optim forecast tables io core nn ops)
set(bindings_MAY io core ops cpu webgl nn optim models forecast tables train)
set(native_host_MAY io)

# Libraries of one room: a pattern of the header, a pattern of the files that may include it, and what to say.
set(LIBRARIES
  "^(GL|GLES[0-9]*|EGL|KHR)/|^webgl/" "^wasm/webgl/" "GL belongs to wasm/webgl/"
  "^emscripten(/|\\.h)|^html5" "^wasm/(webgl/context_web|bindings/([a-z]+_)?exports)\\.cpp$"
  "Emscripten belongs to webgl/context_web.cpp and bindings/*exports.cpp"
  "^uv(/|\\.h)" "^native_host/pipe\\." "libuv belongs to native_host/pipe.*"
  "^catch2/" "^tests/" "Catch2 belongs to tests/")

# The room of a path relative to the repository, empty outside of the rooms.
function(room_of path result)
  set(${result} "" PARENT_SCOPE)
  if(path MATCHES "^(wasm/)?([a-z_]+)/")
    set(${result} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to what is wrong with this #include in this file, empty when nothing is.
function(check_include file include angle result)
  set(${result} "" PARENT_SCOPE)
  if(angle)
    list(LENGTH LIBRARIES count)
    math(EXPR last "${count} - 1")
    foreach(i RANGE 0 ${last} 3)
      math(EXPR j "${i} + 1")
      math(EXPR k "${i} + 2")
      list(GET LIBRARIES ${i} header)
      list(GET LIBRARIES ${j} home)
      list(GET LIBRARIES ${k} rule)
      if(include MATCHES "${header}" AND NOT file MATCHES "${home}")
        set(${result} "${file} includes <${include}>: ${rule}" PARENT_SCOPE)
      endif()
    endforeach()
    return()
  endif()
  room_of("${file}" from)
  if(include MATCHES "\\.\\./")
    set(${result} "${file} includes \"${include}\": write the path from wasm/ or the repository" PARENT_SCOPE)
    return()
  endif()
  if(NOT include MATCHES "/" OR include STREQUAL "io/error.h")
    return()
  endif()
  room_of("${include}" to)
  string(REGEX REPLACE "^wasm/" "" path "${include}")
  if(from STREQUAL to OR to IN_LIST ${from}_MAY OR path IN_LIST ${from}_MAY)
    return()
  endif()
  set(${result} "${file} includes \"${include}\": ${from} may not include ${to}" PARENT_SCOPE)
endfunction()

function(self_test)
  set(refused
    "wasm/io/csv.cpp|core/tensor.h" "wasm/core/tensor.cpp|ops/ops.h" "wasm/core/check.h|io/csv.h"
    "wasm/cpu/gemm.cpp|ops/ops.h" "wasm/webgl/webgl_device.cpp|cpu/simd.h" "wasm/ops/ops.h|nn/module.h"
    "wasm/nn/linear.cpp|train/session.h" "wasm/models/lstm.cpp|optim/adam.h" "wasm/forecast/windows.cpp|core/tensor.h"
    "wasm/train/session.cpp|bindings/exports.h" "wasm/train/race.cpp|webgl/webgl_device.h"
    "native_host/host.cpp|core/tensor.h" "native_host/host.cpp|wasm/train/session.h" "wasm/io/csv.cpp|native_host/framing.h"
    "wasm/core/plan.cpp|tests/reference/device.h" "wasm/io/csv.cpp|../core/tensor.h"
    "wasm/ops/ops.cpp|<GLES3/gl3.h>" "wasm/core/device.h|<EGL/egl.h>" "wasm/train/race.cpp|<emscripten.h>"
    "wasm/bindings/state.cpp|<emscripten/html5.h>" "native_host/host.cpp|<uv.h>" "wasm/io/csv.h|<catch2/catch.hpp>")
  set(allowed
    "wasm/core/check.h|io/error.h" "wasm/cpu/pointwise.cpp|ops/pointwise.def" "wasm/webgl/webgl_device.cpp|<GLES3/gl3.h>"
    "wasm/webgl/context_web.cpp|<emscripten/html5.h>" "wasm/bindings/exports.cpp|<emscripten.h>" "wasm/bindings/data_exports.cpp|<emscripten.h>" "native_host/pipe.cpp|<uv.h>"
    "native_host/host.cpp|io/csv.h" "native_host/host.cpp|native_host/framing.h" "wasm/train/session.cpp|forecast/windows.h"
    "wasm/bindings/exports.cpp|webgl/webgl_device.h" "wasm/io/csv.cpp|io/csv_sniff.h" "wasm/io/csv_json.h|<nlohmann/json.hpp>")
  foreach(kind refused allowed)
    foreach(case ${${kind}})
      string(REGEX MATCH "^([^|]+)\\|(<?)([^>]+)>?$" whole "${case}")
      set(file "${CMAKE_MATCH_1}")
      set(include "${CMAKE_MATCH_3}")
      string(LENGTH "${CMAKE_MATCH_2}" angle)
      check_include("${file}" "${include}" ${angle} offence)
      if(kind STREQUAL "refused" AND offence STREQUAL "")
        message(FATAL_ERROR "layers: the check is blind: ${file} may include ${include}")
      elseif(kind STREQUAL "allowed" AND NOT offence STREQUAL "")
        message(FATAL_ERROR "layers: the check is too strict: ${offence}")
      endif()
    endforeach()
  endforeach()
endfunction()

self_test()
if(SELF_TEST)
  message(STATUS "layers: the check refuses and allows what it must")
  return()
endif()

set(offences)
set(includes 0)
file(GLOB_RECURSE sources RELATIVE "${SOURCE}"
  "${SOURCE}/wasm/*.cpp" "${SOURCE}/wasm/*.h" "${SOURCE}/wasm/*.def" "${SOURCE}/native_host/*.cpp" "${SOURCE}/native_host/*.h")
if(NOT sources)
  message(FATAL_ERROR "layers: no source under '${SOURCE}'")
endif()
foreach(file ${sources})
  file(STRINGS "${SOURCE}/${file}" lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line ${lines})
    math(EXPR includes "${includes} + 1")
    if(line MATCHES "include[ \t]*\"([^\"]+)\"")
      check_include("${file}" "${CMAKE_MATCH_1}" 0 offence)
    elseif(line MATCHES "include[ \t]*<([^>]+)>")
      check_include("${file}" "${CMAKE_MATCH_1}" 1 offence)
    else()
      set(offence "")
    endif()
    if(NOT offence STREQUAL "")
      list(APPEND offences "${offence}")
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE more RELATIVE "${SOURCE}"
  "${SOURCE}/tests/*.cpp" "${SOURCE}/tests/*.h" "${SOURCE}/tests/*.ts" "${SOURCE}/tests/*.mjs" "${SOURCE}/tests/*.cmake"
  "${SOURCE}/wasm/*.cmake" "${SOURCE}/shaders/*" "${SOURCE}/extension/src/*.ts" "${SOURCE}/packaging/*.sh"
  "${SOURCE}/packaging/*.mjs")
file(GLOB scripts RELATIVE "${SOURCE}" "${SOURCE}/extension/*.mjs" "${SOURCE}/extension/*.ts")
list(FILTER more EXCLUDE REGEX "(^|/)node_modules/")
foreach(file ${sources} ${more} ${scripts})
  file(READ "${SOURCE}/${file}" content)
  string(REGEX MATCHALL "\n" ends "${content}")
  list(LENGTH ends length)
  if(length GREATER MAX_LINES)
    list(APPEND offences "${file} has ${length} lines: ${MAX_LINES} is the most, split it by idea")
  endif()
endforeach()

list(REMOVE_DUPLICATES offences)
if(offences)
  list(JOIN offences "\n  " text)
  message(FATAL_ERROR "layers:\n  ${text}")
endif()
list(LENGTH sources count)
message(STATUS "layers: ${includes} includes in ${count} files point the right way")
