#include "schedules/whole_indices.h"

namespace fusion {
namespace {

#include "schedules/whole_indices.inc"

}  // namespace

void keep_indices_whole(Halide::Internal::Function f) {
    WholeIndices mutator;
    f.mutate(&mutator);
}

std::string whole_indices_source() {
    return
#include "whole_indices_source.inc"
        ;
}

}  // namespace fusion
