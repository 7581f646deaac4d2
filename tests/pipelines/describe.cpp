#include "tests/pipelines/describe.h"

#include <sstream>

#include "fusion/explain.h"

namespace fusion {

std::string describe(const Builder &builder, const Planned &planned) {
    std::ostringstream text;
    const auto write = [&](const std::string &name, const Halide::Internal::Definition &definition) {
        text << name << "(";
        for (const Halide::Expr &arg : definition.args()) {
            text << " " << arg;
        }
        text << " ) =";
        for (const Halide::Expr &value : definition.values()) {
            text << " " << value;
        }
        text << "  where " << definition.predicate() << "\n";
    };
    for (const auto &[name, f] : Halide::Internal::build_environment(functions_of(builder().pipeline))) {
        write(name, f.definition());
        for (const Halide::Internal::Definition &update : f.updates()) {
            write(name, update);
        }
    }
    return text.str() + explain_text(planned.explained());
}

}  // namespace fusion
