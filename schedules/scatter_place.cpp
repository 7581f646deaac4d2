#include "schedules/scatter_place.h"

#include <map>

namespace fusion {

Halide::Func scatter_place(const Halide::Internal::Function &f, int index) {
#include "schedules/scatter_place.inc"
    return keep_scatter_place(f, index);
}

std::string scatter_place_source() {
    return
#include "scatter_place_source.inc"
        ;
}

}  // namespace fusion
