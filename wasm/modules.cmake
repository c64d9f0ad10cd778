# The WebAssembly modules: each program is linked three times, for what a browser has.
#   NAME          SIMD128
#   NAME_relaxed  and fused multiply-adds (relaxed SIMD)
#   NAME_threads  and threads over shared memory
# Compiling is most of a build, so everything is compiled once, for shared memory, and only cpu/ a second time with
# relaxed SIMD. Objects made for shared memory link without it as well: an atomic access is an ordinary one then.
# (Not all: making a thread_local with a destructor traps in a module without threads.)
# Exceptions are WebAssembly's own, with threads by bindings/unwind_with_threads.cpp: Emscripten's older ones would
# take every call that may throw through JavaScript.
target_compile_options(sg_flags INTERFACE -msimd128 -fwasm-exceptions -pthread)

add_library(sg_cpu_relaxed STATIC ${CPU_SOURCES})
target_compile_options(sg_cpu_relaxed PRIVATE -mrelaxed-simd)
target_link_libraries(sg_cpu_relaxed PUBLIC sg_engine)

add_library(sg_unwind_with_threads OBJECT "${CMAKE_CURRENT_LIST_DIR}/bindings/unwind_with_threads.cpp")
target_link_libraries(sg_unwind_with_threads PUBLIC sg_flags)

find_program(NODE_PROGRAM node REQUIRED NO_CMAKE_FIND_ROOT_PATH)
# In the cache, because the functions below are called from other folders, too.
set(RELAXED_SIMD "${PROJECT_SOURCE_DIR}/packaging/relaxed_simd.mjs" CACHE INTERNAL "")
set(START_WORKER "${CMAKE_CURRENT_LIST_DIR}/bindings/start_worker.js" CACHE INTERNAL "")

set(MODULE_OPTIONS -O3 -fwasm-exceptions --no-entry -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker -sFILESYSTEM=0
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648 -sABORTING_MALLOC=0 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
    -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8 -sTOTAL_STACK=1048576 CACHE INTERNAL "")
# Workers are started beforehand, since one that is asked for only starts once the caller has returned; without any the
# module would wait for them for ever. Memory grows here too: Windows sets aside all of a fixed heap at once, and only
# JavaScript pays for a heap that grows.
set(THREADS_OPTIONS -pthread "-sPTHREAD_POOL_SIZE=Math.max(1,Module.threads-1)" -sPTHREAD_POOL_SIZE_STRICT=2
    -sDEFAULT_PTHREAD_STACK_SIZE=524288 -Wno-pthreads-mem-growth --pre-js "${START_WORKER}" CACHE INTERNAL "")

# sg_add_module(NAME OBJECTS object library LIBRARIES libraries OPTIONS more link options): one program as a module.
function(sg_add_module name)
  cmake_parse_arguments(ONE "" "OBJECTS" "LIBRARIES;OPTIONS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${ONE_OBJECTS}>)
  target_link_libraries(${name} PRIVATE ${ONE_LIBRARIES})
  target_link_options(${name} PRIVATE ${MODULE_OPTIONS} ${ONE_OPTIONS})
  set_target_properties(${name} PROPERTIES SUFFIX ".mjs")
endfunction()

# The instructions of 2022 become those that browsers know.
function(sg_finish_relaxed name)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${RELAXED_SIMD}")
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
                     COMMAND "${NODE_PROGRAM}" "${RELAXED_SIMD}" "$<TARGET_FILE_DIR:${name}>/${name}.wasm")
endfunction()

# sg_add_modules(NAME OBJECTS object library LIBRARIES libraries): the program in all three ways.
function(sg_add_modules name)
  cmake_parse_arguments(ALL "" "OBJECTS" "LIBRARIES" ${ARGN})
  sg_add_module(${name} OBJECTS ${ALL_OBJECTS} LIBRARIES ${ALL_LIBRARIES} sg_cpu)
  sg_add_module(${name}_relaxed OBJECTS ${ALL_OBJECTS} LIBRARIES ${ALL_LIBRARIES} sg_cpu_relaxed)
  sg_add_module(${name}_threads OBJECTS ${ALL_OBJECTS} LIBRARIES ${ALL_LIBRARIES} sg_cpu_relaxed sg_unwind_with_threads
                OPTIONS ${THREADS_OPTIONS})
  set_property(TARGET ${name}_threads APPEND PROPERTY LINK_DEPENDS "${START_WORKER}")
  sg_finish_relaxed(${name}_relaxed)
  sg_finish_relaxed(${name}_threads)
endfunction()
