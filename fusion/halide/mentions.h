#pragma once
/// What expressions of the algorithm mention.
#include <Halide.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fusion {

/// Variables by name, scalar parameters by theirs, and whether a Func or a buffer is read.
struct Mentioned {
    std::set<std::string> variables;
    std::map<std::string, Halide::Parameter> scalars;
    bool reads = false;

    explicit Mentioned(const Halide::Expr &e);
    bool has(const std::set<std::string> &names) const;
};

/// Calls of Funcs and of buffers. They live as long as the expressions.
std::vector<const Halide::Internal::Call *> calls_in(const std::vector<Halide::Expr> &exprs);

/// The pure definition and the updates; none of an extern Func.
std::vector<Halide::Internal::Definition> all_definitions(const Halide::Internal::Function &f);

}  // namespace fusion
