#include "fusion/halide/walk.h"

#include <set>

#include "fusion/error.h"
#include "fusion/halide/regions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// A call to an image, or to the Func that wraps one, is a read of an input.
const Call *wrapped_image(const Function &f) {
    if (f.has_update_definition() || f.has_extern_definition() || f.values().size() != 1) {
        return nullptr;
    }
    const Call *call = f.values()[0].as<Call>();
    if (!call || call->call_type != Call::Image || call->args.size() != f.args().size()) {
        return nullptr;
    }
    for (size_t i = 0; i < call->args.size(); i++) {
        const Variable *v = call->args[i].as<Variable>();
        if (!v || v->name != f.args()[i]) {
            return nullptr;
        }
    }
    return call;
}

/// Functions producers first, by a walk over the definitions; images met without a wrapper likewise.
class Walk {
public:
    Reached reached;

    void visit(const Function &f) {
        if (!visited.insert(f.name()).second) {
            return;
        }
        if (!f.has_pure_definition() && !f.has_extern_definition()) {
            throw UserError("Func \"" + f.name() +
                            "\" has no definition. Next step: define it before the pipeline is scheduled.");
        }
        if (f.has_extern_definition()) {
            for (const ExternFuncArgument &arg : f.extern_arguments()) {
                if (arg.is_func()) {
                    visit(Function(arg.func));
                } else if (arg.is_expr()) {
                    visit(arg.expr);
                }
            }
        } else {
            visit_all(f.definition());
            for (const Definition &update : f.updates()) {
                visit_all(update);
            }
        }
        reached.nodes.push_back({f.name(), f, wrapped_image(f)});
    }

private:
    std::set<std::string> visited, image_names;

    void visit_all(const Definition &definition) {
        for (const Expr &e : expressions_of(definition)) {
            visit(e);
        }
    }

    void visit(const Expr &e) {
        struct Calls : IRGraphVisitor {
            Walk *walk;
            using IRGraphVisitor::visit;
            void visit(const Call *op) override {
                IRGraphVisitor::visit(op);
                if (op->call_type == Call::Halide) {
                    walk->visit(Function(op->func));
                } else if (op->call_type == Call::Image) {
                    walk->found_image(op);
                }
            }
        } calls;
        calls.walk = this;
        e.accept(&calls);
    }

    void found_image(const Call *op) {
        if (image_names.insert(op->name).second) {
            reached.images.push_back(op);
        }
    }
};

class FindElements : public IRGraphVisitor {
public:
    std::map<std::string, std::set<int>> elements;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide) {
            elements[op->name].insert(op->value_index);
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::map<std::string, std::set<int>> elements_called(const Function &function) {
    FindElements find;
    function.accept(&find);
    return find.elements;
}

std::map<std::string, std::set<int>> elements_called(const Expr &e) {
    FindElements find;
    e.accept(&find);
    return find.elements;
}

Reached reach(const std::vector<Function> &outputs) {
    Walk walk;
    for (const Function &f : outputs) {
        walk.visit(f);
    }
    return walk.reached;
}

}  // namespace fusion
