#pragma once
/// Pipelines that blocks reduce together, and the kernels that become of them.
#include <algorithm>

#include "fusion/halide/verify.h"
#include "schedules/lower.h"
#include "tests/unit/halide/testing.h"

namespace fusion {

using namespace Halide;
using testing::count_matches;
using testing::cuda;
using testing::planned;

class ReductionTemplate : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};

    RDom row() const { return {in.dim(0).min(), in.dim(0).extent(), "r"}; }

    /// As the generator has it.
    Func softmax(int width, int height) {
        Func most("row_max"), e("e"), total("total"), output("output");
        const RDom r = row();
        most(y) = Float(32).min();
        most(y) = max(most(y), in(r, y));
        e(x, y) = exp(in(x, y) - most(y));
        total(y) = 0.0f;
        total(y) += e(r, y);
        output(x, y) = e(x, y) / total(y);
        in.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
        return output;
    }

    Func row_sum(int width, int height) {
        Func sum("sum");
        sum(y) = 0.0f;
        sum(y) += in(row(), y);
        in.set_estimates({{0, width}, {0, height}});
        sum.set_estimate(y, 0, height);
        return sum;
    }

    /// Planned, and lowered again with another tile.
    static Planned with_tile(Planned p, const Tile &tile) {
        for (Group &group : p.plan.groups) {
            if (group.kind == Template::Reduction) {
                group.tile = tile;
            }
        }
        p.schedule = lower(p.view, p.plan, cuda());
        return p;
    }

    static Decision verified(const Planned &p) { return verify(p.schedule, p.view, p.plan, *p.device, cuda()); }

    struct Kernel {
        std::string text;
        KernelResources resources;
    };

    /// Kernels as Halide numbers them: the branch for the sizes of the estimates first.
    static std::vector<Kernel> kernels(const Planned &p) {
        const std::string ptx = ptx_of(p, cuda());
        std::vector<Kernel> found;
        for (const std::string &text : testing::entries(ptx)) {
            const size_t begin = text.find("_kernel_");
            found.push_back({text, {.entry = text.substr(begin, text.find_first_of("( \n", begin) - begin)}});
        }
        if (!find_ptxas().empty()) {
            for (const KernelResources &resources : assemble(ptx, 64)) {
                for (Kernel &kernel : found) {
                    kernel.resources = kernel.resources.entry == resources.entry ? resources : kernel.resources;
                }
            }
        }
        std::sort(found.begin(), found.end(), [](const Kernel &a, const Kernel &b) {
            const std::string &x = a.resources.entry, &y = b.resources.entry;
            return std::make_pair(x.size(), x) < std::make_pair(y.size(), y);
        });
        return found;
    }

    static int wide_loads(const std::string &text) {
        return count_matches(text, "ld\\.global\\.nc\\.(v4\\.[bf]32|v2\\.b64)");
    }

    /// Of the first branch.
    static int barriers(const Planned &p) { return count_matches(kernels(p).at(0).text, "bar\\.sync"); }
};

}  // namespace fusion
