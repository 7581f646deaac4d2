#include "schedules/row_threads.h"

#include "fusion/text.h"

namespace fusion {
namespace {

#include "schedules/row_threads.inc"

}  // namespace

int64_t wide_row(const RowThreads &threads) {
    return 2 * (int64_t)threads.vector * threads.turns * threads.most;
}

std::vector<Condition> known_threads(const RowThreads &threads) {
    return {{{.kind = Fact::EqualsConstant, .left = threads.width, .value = threads.estimate}},
            {{.kind = Fact::AtLeast, .left = threads.width, .value = wide_row(threads)}}};
}

Halide::Expr row_threads_expr(const RowThreads &threads, const BufferLookup &lookup) {
    const BufferField &width = threads.width;
    return threads_of_row(field_of(lookup(width.buffer), width.kind, width.dim), threads.vector, threads.turns,
                          threads.most);
}

std::string row_threads_cpp(const RowThreads &threads, const std::vector<std::string> &func_names) {
    const std::vector<std::string> arguments = {to_cpp(threads.width, func_names), std::to_string(threads.vector),
                                                std::to_string(threads.turns), std::to_string(threads.most)};
    return std::string("threads_of_row(").append(join(arguments, ", ")).append(")");
}

std::string row_threads_source() {
    return
#include "row_threads_source.inc"
        ;
}

}  // namespace fusion
