#include "fusion/plan.h"

#include "fusion/error.h"
#include "fusion/text.h"

namespace fusion {

std::string name_of(Placement placement) {
    switch (placement) {
    case Placement::Inlined:
        return "inlined";
    case Placement::AtThread:
        return "at thread";
    case Placement::AtBlock:
        return "at block";
    case Placement::Root:
        return "root";
    case Placement::Host:
        return "host";
    }
    throw InternalError("unknown placement");
}

std::string name_of(Template kind) {
    switch (kind) {
    case Template::Pointwise:
        return "pointwise";
    case Template::Siblings:
        return "siblings";
    case Template::Transpose:
        return "transpose";
    case Template::Stencil:
        return "stencil";
    case Template::Folded:
        return "folded";
    case Template::Reduction:
        return "reduction";
    case Template::Private:
        return "private";
    case Template::Parallel:
        return "parallel";
    case Template::UserLoops:
        return "user's loops";
    case Template::HostLoops:
        return "host";
    }
    throw InternalError("unknown template");
}

std::string name_of(Variant variant) {
    switch (variant) {
    case Variant::Fused:
        return "fused";
    case Variant::Unfused:
        return "unfused";
    case Variant::Inlined:
        return "inlined";
    }
    throw InternalError("unknown variant");
}

Variant variant_named(const std::string &name) {
    for (const Variant variant : {Variant::Fused, Variant::Unfused, Variant::Inlined}) {
        if (name_of(variant) == name) {
            return variant;
        }
    }
    throw UserError("Unknown variant \"" + name + "\". Valid variants: fused, unfused, inlined.");
}

}  // namespace fusion
