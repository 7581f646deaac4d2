#pragma once
/// Every Func and image that a pipeline reaches, producers first.
#include <Halide.h>
#include <map>
#include <set>
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

/// The Funcs that all definitions of one call (itself among them), or an expression does, and which of their Tuple elements.
std::map<std::string, std::set<int>> elements_called(const Halide::Internal::Function &function);
std::map<std::string, std::set<int>> elements_called(const Halide::Expr &e);

/// Walks the definitions in the order in which they are written, so names and the order of creation do not matter.
/// Throws UserError: a Func without a definition.
Reached reach(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion
