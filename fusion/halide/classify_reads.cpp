#include "fusion/halide/classify_reads.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fusion/halide/affine.h"
#include "fusion/rate.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

bool reads(const Expr &e) {
    struct Finder : IRGraphVisitor {
        bool found = false;
        using IRGraphVisitor::visit;
        void visit(const Call *op) override {
            found = found || op->call_type == Call::Halide || op->call_type == Call::Image;
            IRGraphVisitor::visit(op);
        }
    } finder;
    e.accept(&finder);
    return finder.found;
}

/// Halide names what a definition holds twice, such as a clamped index: put back, but for what is read from other stages.
class WholeIndices : public IRGraphMutator {
    using IRGraphMutator::visit;
    Expr visit(const Let *op) override {
        return reads(op->value) ? IRGraphMutator::visit(op) : mutate(substitute(op->name, op->value, op->body));
    }
};

class FindCalls : public IRGraphVisitor {
public:
    std::vector<const Call *> calls;
    std::set<const Call *> conditional;  ///< of these, arms of a choice: what is not chosen may be not asked for

private:
    using IRGraphVisitor::visit;
    int choices = 0;
    void visit(const Select *op) override {
        include(op->condition);
        choices++;
        include(op->true_value);
        include(op->false_value);
        choices--;
    }
    void visit(const Call *op) override {
        const bool chooses = op->is_intrinsic(Call::if_then_else);
        choices += chooses;
        IRGraphVisitor::visit(op);
        choices -= chooses;
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            calls.push_back(op);
            if (choices > 0) {
                conditional.insert(op);
            }
        }
    }
};

/// The consumer loop an index follows one to one, or -1.
int followed_loop(const AffineIndex &index, const std::vector<std::string> &loops) {
    if (!index.affine || index.coefficient.size() != 1 || index.coefficient.begin()->second != 1) {
        return -1;
    }
    const auto at = std::find(loops.begin(), loops.end(), index.coefficient.begin()->first);
    return at == loops.end() ? -1 : (int)(at - loops.begin());
}

/// The first consumer loop behind `before` along which the index moves one by one, or -1: a walk in rounds goes on at
/// r * threads + thread.
int run_of(const AffineIndex &index, const std::vector<std::string> &loops, int before = -1) {
    for (size_t i = before + 1; i < loops.size() && index.affine; i++) {
        const auto at = index.coefficient.find(loops[i]);
        if (at != index.coefficient.end() && at->second == 1) {
            return (int)i;
        }
    }
    return -1;
}

/// The rate at which an index moves with one of the loops; nothing where it does not.
std::optional<Rate> rate_of(const Expr &index, const std::vector<std::string> &loops) {
    const auto movement = movement_of(index);
    const auto loop = movement ? std::find(loops.begin(), loops.end(), movement->variable) : loops.end();
    if (loop == loops.end()) {
        return std::nullopt;
    }
    const uint64_t shape = movement->shape.empty() ? 0 : std::hash<std::string>()(movement->shape) | 1;
    return Rate{.loop = (int)(loop - loops.begin()),
                .steps = movement->steps,
                .of = movement->of,
                .low = movement->low,
                .high = movement->high,
                .is_clamped = movement->is_clamped,
                .shape = shape};
}

/// A loop of the consumer, a constant, or their sum.
bool is_offset(const AffineIndex &index, int follows) {
    return index.affine && !index.clamped && !index.symbolic && !index.data_dependent &&
           (follows >= 0 || index.coefficient.empty());
}

/// The kind that one index alone makes of the read; what depends on the order of dimensions comes later.
ReadKind kind_of_index(const AffineIndex &index, const std::vector<std::string> &reduction) {
    const bool uses_reduction = std::any_of(reduction.begin(), reduction.end(),
                                            [&](const std::string &r) { return index.coefficient.count(r) > 0; });
    if (index.data_dependent) {
        return ReadKind::Gather;
    }
    if (uses_reduction) {
        return ReadKind::Reduction;
    }
    if (index.coefficient.empty()) {
        return ReadKind::Broadcast;
    }
    if (!index.affine || index.divided || index.coefficient.size() > 1 || index.coefficient.begin()->second != 1) {
        return ReadKind::Strided;
    }
    if (index.clamped || index.constant != 0 || index.symbolic) {
        return ReadKind::Stencil;
    }
    return ReadKind::Pointwise;
}

/// From what is read most locally to what is read least so.
int severity(ReadKind kind) {
    switch (kind) {
    case ReadKind::Pointwise:
        return 0;
    case ReadKind::Broadcast:
        return 1;
    case ReadKind::Transposed:
        return 2;
    case ReadKind::Stencil:
        return 3;
    case ReadKind::Strided:
        return 4;
    case ReadKind::Reduction:
        return 5;
    default:
        return 6;
    }
}

using Numbers = std::vector<std::optional<int64_t>>;

/// `number_of`: per index the number that it is.
Read read_of(const Call *call, const std::vector<std::string> &dims, const std::vector<std::string> &reduction,
             Numbers &number_of) {
    Read read;
    ReadKind worst = ReadKind::Pointwise;
    read.is_sized = true;
    std::vector<std::string> loops = dims;
    loops.insert(loops.end(), reduction.begin(), reduction.end());
    for (const Expr &arg : call->args) {
        const AffineIndex index = read_index(arg);
        const int follows = followed_loop(index, loops);
        read.follows.push_back(follows);
        read.reach.push_back(follows >= 0 ? Reach{index.constant, index.constant} : Reach{});
        read.is_step_box = read.is_step_box && is_offset(index, follows);
        read.is_box = read.is_step_box && read.is_box && follows < (int)dims.size();
        read.runs.push_back(run_of(index, loops));
        read.slides.push_back(read.runs.back() < 0 ? -1 : run_of(index, loops, read.runs.back()));
        const std::optional<Rate> rate = rate_of(arg, loops);
        const double offset = follows < 0 ? 0 : (double)index.constant;
        const Rate still{.loop = follows, .low = offset, .high = offset, .is_clamped = index.clamped};
        read.rates.push_back(rate.value_or(still));
        const uint64_t deciding = loops_in(arg, loops);  // none of a number: priced as by any
        if (read.rates.back().loop < 0 && deciding != 0) {
            read.rates.back().decided_by = deciding;
        }
        read.is_sized = read.is_sized && (rate ? rate->loop < (int)dims.size() : is_offset(index, -1));
        number_of.push_back(is_offset(index, -1) ? std::optional(index.constant) : std::nullopt);
        const ReadKind kind = kind_of_index(index, reduction);
        worst = severity(kind) > severity(worst) ? kind : worst;
    }
    std::vector<int> followed;
    for (const int f : read.follows) {
        if (f >= 0) {
            followed.push_back(f);
        }
    }
    std::vector<int> sorted = followed;
    std::sort(sorted.begin(), sorted.end());
    ReadKind order = ReadKind::Pointwise;
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        order = ReadKind::Strided;  // f(x, x): a diagonal
    } else if (followed != sorted) {
        order = ReadKind::Transposed;
    } else if (followed.size() != dims.size()) {
        order = ReadKind::Broadcast;
    }
    read.kind = severity(order) > severity(worst) ? order : worst;
    return read;
}

/// Per dimension: the longest range of numbers without a gap, over all calls.
std::vector<int64_t> neighbouring_numbers(const std::vector<Numbers> &calls, size_t dims) {
    std::vector<int64_t> counts;
    for (size_t d = 0; d < dims; d++) {
        std::set<int64_t> found;
        for (const Numbers &call : calls) {
            if (call[d]) {
                found.insert(*call[d]);
            }
        }
        int64_t longest = 0, run = 0;
        for (const int64_t number : found) {
            run = found.count(number - 1) ? run + 1 : 1;
            longest = std::max(longest, run);
        }
        counts.push_back(longest);
    }
    return counts;
}

bool same_arguments(const Call *a, const Call *b) {
    for (size_t i = 0; i < a->args.size(); i++) {
        if (!equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::map<std::string, std::vector<Read>> classify_reads(const std::vector<Expr> &exprs,
                                                        const std::vector<std::string> &dims,
                                                        const std::vector<std::string> &reduction) {
    FindCalls finder;
    std::vector<Expr> whole;
    for (const Expr &e : exprs) {
        whole.push_back(WholeIndices().mutate(e));
        whole.back().accept(&finder);
    }
    std::map<std::string, std::vector<Read>> reads;
    std::map<std::string, std::vector<std::vector<Numbers>>> numbers;  // by way of reading, then by call
    std::map<std::string, std::vector<const Call *>> distinct;
    for (const Call *call : finder.calls) {
        auto &seen = distinct[call->name];
        const bool repeated =
            std::any_of(seen.begin(), seen.end(), [&](const Call *c) { return same_arguments(c, call); });
        if (repeated) {
            continue;
        }
        seen.push_back(call);
        Numbers number_of;
        Read read = read_of(call, dims, reduction, number_of);
        for (size_t d = 0; d < number_of.size() && !finder.conditional.count(call); d++) {
            if (number_of[d]) {
                const double number = (double)*number_of[d];
                read.rates[d] = {.low = number, .high = number, .is_number = true};
            }
        }
        auto &known = reads[call->name];
        auto &ways = numbers[call->name];
        const auto same =
            std::find_if(known.begin(), known.end(), [&](const Read &r) { return r.follows == read.follows; });
        if (same == known.end()) {
            known.push_back(read);
            ways.emplace_back();
            if (!finder.conditional.count(call)) {
                ways.back().push_back(number_of);
            }
            continue;
        }
        if (!finder.conditional.count(call)) {
            ways[(size_t)(same - known.begin())].push_back(number_of);
        }
        same->points++;
        same->is_sized = same->is_sized && read.is_sized;
        for (size_t d = 0; d < read.rates.size(); d++) {
            same->is_sized = same->is_sized && move_together(same->rates[d], read.rates[d]);
            same->rates[d] = united(same->rates[d], read.rates[d]);
        }
        same->is_box = same->is_box && read.is_box;
        same->is_step_box = same->is_step_box && read.is_step_box;
        for (size_t d = 0; d < read.reach.size(); d++) {
            same->reach[d].low = std::min(same->reach[d].low, read.reach[d].low);
            same->reach[d].high = std::max(same->reach[d].high, read.reach[d].high);
        }
        same->kind = severity(read.kind) > severity(same->kind) ? read.kind : same->kind;
    }
    for (auto &[name, ways] : numbers) {
        for (size_t way = 0; way < ways.size(); way++) {
            reads[name][way].numbers = neighbouring_numbers(ways[way], reads[name][way].follows.size());
        }
    }
    return reads;
}

}  // namespace fusion
