#include "schedules/identity_where.h"

#include <map>
#include <set>

namespace fusion {

void identity_where(const Halide::Internal::Function &f, int index) {
#include "schedules/identity_where.inc"
    fold_identity_where_false(f, index);
}

std::string identity_where_source() {
    return
#include "identity_where_source.inc"
        ;
}

}  // namespace fusion
