# cmake -D NAME=<filter> -P embed_json.cmake: from <filter>.json to <filter>.inc, which filter.cpp includes. An absent file
# (the reference has no plan) gives an empty text.
if(EXISTS "${NAME}.json")
    file(READ "${NAME}.json" text)
else()
    set(text "")
endif()
file(WRITE "${NAME}.inc" "FILTER_JSON(${NAME}, R\"json(${text})json\")\n")
