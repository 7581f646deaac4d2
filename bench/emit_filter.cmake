# cmake -D EMIT=<halide-fusion> -D NAME=<filter> -D ARGUMENTS=<list> -P emit_filter.cmake
# Emits one filter into the current folder and turns its <filter>.json into <filter>.inc, which filter.cpp includes. Where
# there is no JSON (the reference has no plan) the text is empty.
execute_process(
    COMMAND "${EMIT}" emit ${ARGUMENTS} -f ${NAME} -o .
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    RESULT_VARIABLE status
)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "halide-fusion emit ${ARGUMENTS}: status ${status}\n${output}")
endif()
set(text "")
if(EXISTS "${NAME}.json")
    file(READ "${NAME}.json" text)
endif()
file(WRITE "${NAME}.inc" "FILTER_JSON(${NAME}, R\"json(${text})json\")\n")
