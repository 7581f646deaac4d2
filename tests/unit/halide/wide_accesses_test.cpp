#include "schedules/wide_accesses.h"

#include <gtest/gtest.h>

#include <sstream>

#include "schedules/condition.h"

namespace fusion::test {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// A kernel that copies `lanes` elements of `from` to `to` a block, at `offset`, of which Halide knows that much of the index.
Stmt copy_kernel(Type type, int lanes, const std::string &from, const std::string &to, int offset = 0,
                 int index_bits = 32) {
    const Expr block = cast(Int(index_bits), Variable::make(Int(32), "b"));
    const Expr index = Ramp::make(block * lanes + offset, make_one(block.type()), lanes);
    const ModulusRemainder known(lanes, offset);
    const Expr load =
        Load::make(type.with_lanes(lanes), from, index, Buffer<>(), Parameter(), const_true(lanes), known);
    const Stmt store = Store::make(to, load, index, Parameter(), const_true(lanes), known);
    return For::make("b", 0, 100, ForType::GPUBlock, Partition::Auto, DeviceAPI::CUDA, store);
}

/// Inside a branch that says of the buffers "in" and "out" that they begin at multiples of `bytes`.
Stmt where_aligned(const Stmt &kernel, int bytes) {
    Expr condition = const_true();
    for (const char *name : {"in", "out"}) {
        const Parameter buffer(UInt(8), true, 1, name);
        condition = condition && device_address_of(buffer) % make_const(UInt(64), bytes) == make_const(UInt(64), 0);
    }
    return IfThenElse::make(simplify(condition), kernel, copy_kernel(UInt(8), 4, "in", "out"));
}

std::string text_of(const Stmt &stmt) {
    std::ostringstream text;
    text << stmt;
    return text.str();
}

/// The types that the kernel inside the branch loads and stores.
std::vector<Type> types_accessed(const Stmt &stmt) {
    struct : IRVisitor {
        using IRVisitor::visit;
        std::vector<Type> types;
        void visit(const IfThenElse *op) override { op->then_case.accept(this); }
        void visit(const Load *op) override { types.push_back(op->type); }
        void visit(const Store *op) override {
            types.push_back(op->value.type());
            IRVisitor::visit(op);
        }
    } types;
    stmt.accept(&types);
    return types.types;
}

std::vector<Type> made_of(Type type, int lanes, int bytes, int offset = 0) {
    return types_accessed(with_wide_accesses(where_aligned(copy_kernel(type, lanes, "in", "out", offset), bytes)));
}

TEST(WideAccesses, OfAVectorThatIsProvedAlignedAreWords) {
    const auto both = [](Type type) { return std::vector<Type>{type, type}; };
    EXPECT_EQ(made_of(UInt(8), 4, 4), both(UInt(32)));
    EXPECT_EQ(made_of(UInt(8), 8, 8), both(UInt(32, 2)));
    EXPECT_EQ(made_of(Int(8), 16, 16), both(UInt(32, 4)));
    EXPECT_EQ(made_of(UInt(16), 4, 16), both(UInt(32, 2)));
    EXPECT_EQ(made_of(Float(16), 8, 16), both(UInt(32, 4)));
}

TEST(WideAccesses, OfBooleansAreThoseOfBytes) {
    EXPECT_EQ(made_of(Bool(), 16, 16), (std::vector<Type>{UInt(32, 4), UInt(32, 4)}));
}

TEST(WideAccesses, HaveIndicesOfTheSameType) {
    const Stmt stmt = where_aligned(copy_kernel(UInt(8), 16, "in", "out", 0, 64), 16);
    EXPECT_EQ(types_accessed(with_wide_accesses(stmt)), std::vector<Type>(2, UInt(32, 4)));
}

TEST(WideAccesses, OfLongVectorsAreSeveral) {
    EXPECT_EQ(made_of(Float(32), 8, 16), std::vector<Type>(4, UInt(32, 4)));
    EXPECT_EQ(made_of(UInt(16), 16, 16), std::vector<Type>(4, UInt(32, 4)));
}

TEST(WideAccesses, AreNotMadeWhereTheBufferOrTheIndexIsNotProved) {
    const auto both = [](Type type) { return std::vector<Type>{type, type}; };
    EXPECT_EQ(made_of(UInt(8), 8, 4), both(UInt(8, 8))) << "the buffer begins at less";
    EXPECT_EQ(made_of(UInt(8), 4, 4, 1), both(UInt(8, 4))) << "the index is odd";
    EXPECT_EQ(made_of(UInt(8), 2, 4), both(UInt(8, 2))) << "half a word";
    const Stmt bare = copy_kernel(UInt(8), 4, "in", "out");
    EXPECT_EQ(types_accessed(with_wide_accesses(bare)), both(UInt(8, 4))) << "no branch says anything";
}

TEST(WideAccesses, TheOtherBranchKeepsItsOwn) {
    const Stmt made = with_wide_accesses(where_aligned(copy_kernel(UInt(8), 4, "in", "out"), 4));
    EXPECT_TRUE(text_of(made.as<IfThenElse>()->else_case) == text_of(copy_kernel(UInt(8), 4, "in", "out")));
}

TEST(WideAccesses, OfFourWordsAreLeftToHalide) {
    const std::vector<Type> both(2, Float(32, 4));
    EXPECT_EQ(made_of(Float(32), 4, 16), both);
}

TEST(WideAccesses, OfABufferThatTheKernelAlsoWritesAreLeftAlone) {
    const Stmt stmt = where_aligned(copy_kernel(UInt(8), 4, "in", "in"), 4);
    EXPECT_EQ(types_accessed(with_wide_accesses(stmt)), std::vector<Type>(2, UInt(8, 4)));
}

TEST(WideAccesses, OnTheHostAreLeftAlone) {
    const Stmt kernel = copy_kernel(UInt(8), 4, "in", "out");
    const For *loop = kernel.as<For>();
    const Stmt on_host = For::make("b", 0, 100, ForType::Serial, Partition::Auto, DeviceAPI::Host, loop->body);
    EXPECT_EQ(types_accessed(with_wide_accesses(where_aligned(on_host, 4))), std::vector<Type>(2, UInt(8, 4)));
}

TEST(WideAccesses, OfWhatThePipelineAllocatesOnTheDeviceNeedNoBranch) {
    const Stmt kernel = copy_kernel(UInt(8), 16, "made", "made_too");
    const Stmt one = Allocate::make("made", UInt(8), MemoryType::Heap, {1600}, const_true(), kernel);
    const Stmt both = Allocate::make("made_too", UInt(8), MemoryType::Heap, {1600}, const_true(), one);
    EXPECT_EQ(types_accessed(with_wide_accesses(both)), std::vector<Type>(2, UInt(32, 4)));
}

TEST(WideAccesses, OfSharedMemoryAreLeftAlone) {
    const Stmt copy = copy_kernel(UInt(8), 16, "shared", "out");
    const Stmt body =
        Allocate::make("shared", UInt(8), MemoryType::GPUShared, {1600}, const_true(), copy.as<For>()->body);
    const Stmt kernel = For::make("b", 0, 100, ForType::GPUBlock, Partition::Auto, DeviceAPI::CUDA, body);
    const std::vector<Type> types = types_accessed(with_wide_accesses(where_aligned(kernel, 16)));
    EXPECT_EQ(types, (std::vector<Type>{UInt(32, 4), UInt(8, 16)}));
}

}  // namespace
}  // namespace fusion::test
