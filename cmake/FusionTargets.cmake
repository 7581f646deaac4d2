# Helpers for the folders' CMakeLists.

# fusion_glob(OUT pattern...): the files that match, relative to the current folder, in sorted order.
function(fusion_glob OUT)
    list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE patterns)
    file(GLOB files CONFIGURE_DEPENDS ${patterns})
    set(${OUT} "${files}" PARENT_SCOPE)
endfunction()

# fusion_defaults(TARGET [HALIDE]): what every target of this project has. HALIDE: it includes Halide.h, so it shares the
# precompiled one (parsing Halide.h takes about 7 s).
#
# A file that needs HALIDE_KEEP_MACROS belongs to a target without HALIDE here, because the header has been read by then.
function(fusion_defaults TARGET)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "HALIDE" "" "")
    target_compile_options(${TARGET} PRIVATE -Wall -Wextra)
    target_include_directories(${TARGET} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${TARGET} PRIVATE "FUSION_PTXAS=\"${FUSION_PTXAS_PATH}\"")
    if(ARG_HALIDE)
        fusion_halide_header()
        target_precompile_headers(${TARGET} REUSE_FROM halide_header)
    endif()
endfunction()

# The one precompiled <Halide.h>. The target exists only to hold it.
function(fusion_halide_header)
    if(TARGET halide_header)
        return()
    endif()
    set(source "${PROJECT_BINARY_DIR}/cmake/halide_header.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// A target with a precompiled header must have a source.\n")
    add_library(halide_header OBJECT "${source}")
    target_link_libraries(halide_header PRIVATE Halide::Halide)
    target_precompile_headers(halide_header PRIVATE <Halide.h>)
endfunction()
