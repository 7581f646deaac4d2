#include "fusion/rewrites/chunked_scan.h"

#include "fusion/halide/regions.h"
#include "fusion/rewrites/reduction_func.h"
#include "fusion/rewrites/scan_chunks.h"
#include "fusion/rewrites/scan_func.h"
#include "fusion/rewrites/scan_places.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// Chunks of which each finds by itself what came before it, in one launch; more are a scan again. A block does that together;
/// where the operator has no identity each thread does. Guesses, of which only small ones were timed: the folds of integral_image
/// took 10 us (H200, 2026-12-01).
constexpr int64_t kMostFolded = 1024, kMostFoldedByThreads = 128;

/// The updates `from` to `to` of `f` become updates of `of`.
void copy_updates(const Function &f, int from, int to, Func &of) {
    for (int u = from; u < to; u++) {
        std::vector<Expr> args;
        for (const Expr &arg : f.update(u).args()) {
            args.push_back(replace_calls(arg, f.name(), of));
        }
        of(args) = replace_calls(f.update(u).values()[0], f.name(), of);
    }
}

/// Calls of the Func, which are all at the point itself, become the value there.
class ReplaceSelf : public IRMutator {
public:
    ReplaceSelf(const std::string &name, const Expr &value) : name(name), value(value) {}

private:
    const std::string &name;
    const Expr value;
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        return op->call_type == Call::Halide && op->name == name ? value : IRMutator::visit(op);
    }
};

/// A scan as it is put together: the Funcs' args are places and parts, then the chunk, in the place of the dimension.
class Chunked {
public:
    Chunked(const ScanFunc &scan, const Chunks &chunks, int64_t length, bool is_all_walked)
        : scan(scan), chunks(chunks), length(length), is_all_walked(is_all_walked),
          name(plain_name(scan.function.name())), before(name + "_before") {
        before(args_of(scan.function)) = scan.function.values()[0];
        copy_updates(scan.function, 0, scan.update, before);
        const auto constant = as_const_int(simplify(scan.over.extent));
        has_chunks = !constant || *constant + 1 > chunks.elements();
    }

    /// The Func after the update.
    Func made() const {
        const Func scanned = chunks.in_block ? scanned_by_blocks() : scanned_by_threads();
        std::vector<Expr> args = args_of(scan.function);
        const Expr i = scan.step * (args[scan.dim] - scan.first);
        const Expr walked = is_all_walked ? i : clamp(i, 0, scan.over.extent);
        const int all = (int)chunks.elements(), places = (int)chunks.places;
        const Expr chunk = walked / all;
        const std::vector<Expr> at = chunks.in_block
                                         ? inside(walked % places, (walked / places) % (int)chunks.parts, chunk)
                                         : inside(walked % places, Expr(), chunk);
        Expr value = scanned(at);
        if (has_chunks) {
            const Func carried = carry(scanned);
            const Expr steps = walked % all + 1;
            value = select(chunk > 0, continued(scan, carried(outside(chunk)), value, steps, all), value);
        }
        Func after(name + "_scanned");
        const bool is_any_value = is_all_walked || is_undefined_elsewhere(scan);
        after(args) = is_any_value ? value : select(i > 0 && i <= scan.over.extent, value, before(args));
        copy_updates(scan.function, scan.update + 1, (int)scan.function.updates().size(), after);
        return after;
    }

private:
    const ScanFunc &scan;
    const Chunks chunks;
    const int64_t length;
    const bool is_all_walked;  ///< nobody reads places that the walk does not come to
    const std::string name;
    Func before;
    bool has_chunks = true;
    const Var place{"fusion_place"}, part{"fusion_part"}, chunk{"fusion_chunk"};

    std::vector<Expr> inside(const Expr &at, const Expr &of, const Expr &in) const {
        std::vector<Expr> args = args_of(scan.function);
        args[scan.dim] = at;
        auto next = args.begin() + scan.dim + 1;
        if (has_chunks) {
            next = args.insert(next, in);
        }
        if (chunks.in_block) {
            args.insert(next, of);
        }
        return args;
    }
    std::vector<Expr> outside(const Expr &in) const {
        std::vector<Expr> args = args_of(scan.function);
        args[scan.dim] = in;
        return args;
    }
    /// What the walk adds at its i-th point, of `extent` + 1; the last one again beyond the end.
    Expr added(const Expr &i) const {
        std::vector<Expr> args = args_of(scan.function);
        const auto before_at = [&](const Expr &at) {
            args[scan.dim] = at;
            return Expr(before(args));
        };
        const Expr own = before_at(scan.first + scan.step * min(i, scan.over.extent));
        if (scan.adds_own) {
            return own;
        }
        // Where there is no step at all, the place before the first: nothing shows that there is another.
        const Expr step = scan.over.min + min(max(i - 1, 0), scan.over.extent - 1);
        const Expr term = ReplaceSelf(scan.function.name(), own).mutate(substitute(scan.over.var, step, scan.term));
        const Expr first = mentions(scan.term, scan.function.name()) ? own : before_at(scan.first);
        return select(i == 0, first_value(scan).value_or(first), term);
    }
    Expr start() const { return has_chunks ? Expr(chunk) * (int)chunks.elements() : Expr(0); }

    Func scanned_by_threads() const {
        Func scanned(name + "_chunks");
        const auto at = [&](const Expr &k) { return inside(k, Expr(), chunk); };
        scanned(at(place)) = added(start() + place);
        const RDom r(1, (int)chunks.places - 1);
        scanned(at(r)) = continued(scan, scanned(at(r - 1)), scanned(at(r)), 1, 1);
        return scanned;
    }

    Func scanned_by_blocks() const {
        Func scanned(name + "_chunks");
        const auto at = [&](const Expr &k, const Expr &p) { return inside(k, p, chunk); };
        const int places = (int)chunks.places, parts = (int)chunks.parts, last = places - 1;
        scanned(at(place, part)) = added(start() + part * places + place);
        const RDom r(1, last);
        scanned(at(r, part)) = continued(scan, scanned(at(r - 1, part)), scanned(at(r, part)), 1, 1);
        if (parts > 1) {
            // The last place of each part, then the others, which read those alone: no thread reads what another writes.
            const RDom ends(1, parts - 1), rest(0, last, 1, parts - 1);
            const Expr end = scanned(at(last, ends)), before_end = scanned(at(last, ends - 1));
            scanned(at(last, ends)) = continued(scan, before_end, end, places, places);
            const Expr value = scanned(at(rest.x, rest.y)), before_it = scanned(at(last, rest.y - 1));
            scanned(at(rest.x, rest.y)) = continued(scan, before_it, value, rest.x + 1, places);
        }
        return scanned;
    }

    /// By chunk, from the second on: what all before it come to.
    Func carry(const Func &scanned) const {
        Func carried(name + "_carry");
        const auto total = [&](const Expr &c) {
            return Expr(scanned(inside((int)chunks.places - 1, (int)chunks.parts - 1, c)));
        };
        const int all = (int)chunks.elements();
        const Expr after_first = max(scan.over.extent / all - 1, 0);  // and before the last
        const std::vector<Expr> here = outside(chunk);
        if (scan.identity.defined() && length / all <= kMostFolded) {
            const RDom r(0, after_first + 1);
            carried(here) = scan.identity;
            carried(here) = scan.op(carried(here), select(r < chunk, total(r), scan.identity));
            return carried;
        }
        const RDom r(1, after_first);
        if (length / all <= kMostFoldedByThreads) {
            carried(here) = total(0);
            const Expr next = continued(scan, carried(here), total(r), all, all);
            carried(here) = select(r < chunk, next, carried(here));
            return carried;
        }
        Func totals(name + "_totals");
        totals(here) = total(chunk);
        totals(outside(r)) = continued(scan, totals(outside(r - 1)), totals(outside(r)), all, all);
        carried(here) = totals(outside(max(chunk - 1, 0)));
        return carried;
    }
};

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    for (const ScanFunc &scan : scan_funcs(outputs)) {
        const auto extent = at_estimates(scan.over.extent);
        const auto chunks = extent ? chunks_of(scan, *extent + 1, outputs) : std::nullopt;
        const bool all_walked = is_all_walked(scan, outputs);
        const bool is_defined =
            !is_partly_undefined(scan) || is_undefined_elsewhere(scan) || (all_walked && scan.update > 0);
        if (chunks && is_defined) {
            const Chunked chunked(scan, *chunks, *extent + 1, all_walked);
            replace_calls(outputs, scan.function.name(), chunked.made());
            return scan.function.name();
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> use_chunked_scans(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion
