#pragma once
/// Two stages of which the first may join the second, and the rules asked about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fusion/rules.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {

class Rules : public ::testing::Test {
protected:
    Rules() {
        in = b.input("in", {8, 8});
        mid = b.stage("mid", {8, 8}, {{in}});
        out = b.output("out", {8, 8}, {{mid}});
        Group of_mid, of_out;
        of_mid.outputs = {mid};
        of_mid.members = {{mid, Placement::Root, 64}};
        of_mid.inputs = {{.producer = in}};
        of_out.outputs = {out};
        of_out.members = {{out, Placement::Root, 64}};
        of_out.inputs = {{.producer = mid}};
        apart = {of_mid, of_out};
        Group both = of_out;
        both.members = {{mid, Placement::Inlined, 64}, {out, Placement::Root, 64}};
        both.inputs = {{.producer = in}};
        fused = {both};
        for (Group *group : {&apart[0], &apart[1], &fused[0]}) {
            group->price.occupancy = 1;
            group->price.time_us = 10;
        }
    }

    Judgement ask(RuleKind kind) {
        Candidate candidate{b.graph, device, mid, proposed, {}, &apart, &fused};
        candidate.edges.assign(out_edges(mid, b.graph).first, out_edges(mid, b.graph).second);
        return judge(candidate, kind);
    }
    void allows(RuleKind kind) {
        const Judgement judgement = ask(kind);
        EXPECT_TRUE(judgement.decision.allowed()) << judgement.rule << ": " << judgement.decision.why();
    }
    void forbids(RuleKind kind, const char *rule) {
        const Judgement judgement = ask(kind);
        EXPECT_FALSE(judgement.decision.allowed());
        EXPECT_THAT(judgement.rule, ::testing::StrEq(rule));
        EXPECT_NE(judgement.decision.why(), "");
    }
    /// 20 us apart; fused a little less or not less.
    void set_faster(bool faster) { fused[0].price.time_us = faster ? 19.99 : 20; }
    void set_read_kind(ReadKind kind) { b.graph[*out_edges(mid, b.graph).first].kind = kind; }

    /// mid becomes an update, one that may be computed in parts or not.
    void set_reduction(bool reassociable) {
        b[mid].update = b[mid].has_updates = true;
        b[mid].folds = b[mid].reassociable = reassociable;
    }

    Builder b;
    Device device = device_named("H200");
    Placement proposed = Placement::Inlined;
    Vertex in, mid, out;
    std::vector<Group> apart, fused;
};

}  // namespace fusion::test
