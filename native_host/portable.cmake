# What of the host is the same on every system, with its tests: all that is built for Windows, by MinGW, and run under
# Wine. The loop and the pipes need libuv, which Debian has for Linux alone: pipe.cpp is only checked against its headers.
file(COPY "${NLOHMANN_DIR}/nlohmann" DESTINATION "${CMAKE_BINARY_DIR}/include")
file(COPY /usr/include/uv.h /usr/include/uv DESTINATION "${CMAKE_BINARY_DIR}/include")
file(COPY /usr/include/catch2 DESTINATION "${CMAKE_BINARY_DIR}/include")
include_directories(SYSTEM "${CMAKE_BINARY_DIR}/include")

file(GLOB IO_SOURCES CONFIGURE_DEPENDS wasm/io/*.cpp)
add_library(sg_io STATIC ${IO_SOURCES})
target_include_directories(sg_io PUBLIC "${PROJECT_SOURCE_DIR}/wasm")
target_link_libraries(sg_io PUBLIC sg_flags)

set(HOST "${PROJECT_SOURCE_DIR}/native_host")
include("${HOST}/build_header.cmake")
file(GLOB PORTABLE_SOURCES CONFIGURE_DEPENDS "${HOST}/store*.cpp" "${HOST}/partial.cpp")
list(APPEND PORTABLE_SOURCES "${HOST}/framing.cpp" "${HOST}/json.cpp" "${HOST}/base64.cpp" "${HOST}/messages.cpp"
     "${HOST}/error.cpp" "${HOST}/terminal.cpp" "${HOST}/files.cpp" "${HOST}/places.cpp" "${HOST}/browsers.cpp" "${HOST}/manifest.cpp"
     "${HOST}/files_windows.cpp" "${HOST}/registry_windows.cpp" "${HOST}/text_windows.cpp")
add_library(sg_host STATIC ${PORTABLE_SOURCES})
target_include_directories(sg_host PUBLIC "${PROJECT_SOURCE_DIR}" "${BUILD_HEADER_DIR}")
target_link_libraries(sg_host PUBLIC sg_io)
add_library(sg_pipe OBJECT "${HOST}/pipe.cpp")
target_include_directories(sg_pipe PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(sg_pipe PRIVATE sg_flags)

set(TESTS "${PROJECT_SOURCE_DIR}/tests")
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS "${TESTS}/io/test_safetensors.cpp" "${TESTS}/io/test_checkpoint_content.cpp"
     "${TESTS}/io/test_sha256.cpp" "${TESTS}/io/test_crc32c.cpp" "${TESTS}/io/test_csv_dialect.cpp"
     "${TESTS}/native_host/disk_test.cpp" "${TESTS}/native_host/frames_test.cpp" "${TESTS}/native_host/windows_test.cpp" "${TESTS}/fuzz/*.cpp")
list(FILTER TEST_SOURCES EXCLUDE REGEX "/(fuzz_main|requests)\\.cpp$")
add_executable(portable_tests "${TESTS}/main.cpp" ${TEST_SOURCES})
target_include_directories(portable_tests PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(portable_tests PRIVATE SG_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# The test program stands alone: no library of the compiler's has to be found at run time.
target_link_options(portable_tests PRIVATE -static)
target_link_libraries(portable_tests PRIVATE sg_host)
add_dependencies(portable_tests sg_pipe)
