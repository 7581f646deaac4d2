# Where Halide comes from: the wheel in build/venv, which `./run` sets up from requirements.txt.
# In: nothing; Halide_DIR or a prefix path, if given, is used instead. Out: Halide_DIR, FUSION_PYTHON (may be empty).
# Included, not a function: find_package(Halide) sets variables that add_halide_library reads in the caller's scope.

find_program(
    FUSION_PYTHON python3
    HINTS "${PROJECT_SOURCE_DIR}/build/venv/bin"
    NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH
    DOC "Python that has the Halide wheel"
)
if(FUSION_PYTHON)
    # Halide's package looks for Python itself; let it find the same one.
    cmake_path(GET FUSION_PYTHON PARENT_PATH venv_bin)
    cmake_path(GET venv_bin PARENT_PATH Python_ROOT_DIR)
    set(Python_FIND_VIRTUALENV ONLY)
endif()

if(NOT Halide_DIR AND FUSION_PYTHON)
    # find_spec does not import the module, which would load 200 MB to learn a path.
    execute_process(
        COMMAND "${FUSION_PYTHON}" -c "from importlib.util import find_spec; print(find_spec('halide').submodule_search_locations[0])"
        OUTPUT_VARIABLE wheel
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET
    )
    if(wheel)
        set(Halide_DIR "${wheel}/lib64/cmake/Halide" CACHE PATH "Halide's CMake package" FORCE)
    endif()
endif()
if(NOT Halide_DIR AND NOT Halide_ROOT AND NOT CMAKE_PREFIX_PATH)
    message(FATAL_ERROR
        "Halide 21.0.0 was not found in build/venv (python: ${FUSION_PYTHON}).\n"
        "Next step: run ./run build, which sets it up, or pass -DHalide_DIR=<folder of HalideConfig.cmake>.")
endif()
