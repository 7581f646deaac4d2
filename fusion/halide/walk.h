#pragma once
/// Every Func and image that a pipeline reaches, producers first.
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

struct Reached {
    struct Node {
        std::string name;  ///< Halide's
        Halide::Internal::Function function;
        const Halide::Internal::Call *image = nullptr;  ///< for the Func that wraps an input: the call in it
    };
    std::vector<Node> nodes;
    std::vector<const Halide::Internal::Call *> images;  ///< one call of each image, in order of meeting
};

/// Walks the definitions in the order in which they are written, so names and the order of creation do not matter.
/// Throws UserError: a Func without a definition.
Reached reach(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion
