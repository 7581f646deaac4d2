#include "fusion/stencil_tiles.h"

#include <algorithm>
#include <iterator>

#include "fusion/choices.h"
#include "fusion/room.h"
#include "fusion/stencil_kernel.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// Longest period of choices that a thread computes whole.
constexpr int64_t kMostPeriod = 8;

/// Points beside each other of a thread, where they share computed places, take so many bytes of each buffer at most: a warp's
/// reach over two lines of 128 bytes (resize of bytes, 1 x 4 x 3 points 0.348 ms, 4 x 1 x 3 0.321, 4 x 2 x 3 0.283; H200, 2026-12-01).
/// Windows that slide are not measured with more than two.
constexpr int kMostBytesAcross = 8;

/// Sizes that are tried: threads of a block along the contiguous dimension and in all, and points of a thread.
const std::vector<int> kLanes = {32, 64}, kThreads = {128, 256}, kAcross = {1, 2, 4, 8}, kDown = {1, 2, 4, 8};

/// Bytes of the widest element that the kernel reads or writes.
int widest(const StageGraph &graph, const Group &group) {
    int most = 1;
    const auto include = [&](Vertex buffer) {
        for (const int bytes : graph[buffer].element_bytes) {
            most = std::max(most, bytes);
        }
    };
    include(group.outputs[0]);
    for (const Input &input : group.inputs) {
        include(input.producer);
    }
    return most;
}

/// A thread computes whole periods of a choice, where it is known.
std::vector<int> with_multiples(std::vector<int> sizes, const Group &group, int dim) {
    const KnownChoice known = dim >= 0 && dim < (int)group.known.size() ? group.known[dim] : KnownChoice();
    const auto is_whole = [&](int size) { return known.points > 0 && size % known.points == 0; };
    if (known.points > 0 && known.points <= kMostPeriod && std::none_of(sizes.begin(), sizes.end(), is_whole)) {
        sizes.push_back((int)known.points);
    }
    return sizes;
}

}  // namespace

std::pair<Vertex, double> most_written_out(const Group &planned, const Tile &tile) {
    const std::optional<Group> chosen = with_choices(planned, tile);
    const Group &group = chosen ? *chosen : planned;
    // Vectors are one expression; the points of a tile are as many.
    const double unrolled = group.kind == Template::Stencil ? tile.vector * tile.per_thread * tile.slices : 1;
    std::pair<Vertex, double> most{0, 0};
    for (const Member &member : group.members) {
        double a_point = 0;
        for (const Use &use : member.uses) {
            // Before anything finds that two places along a stride or behind a clamp are the same, all are written out.
            // But where it is known where a tile begins, it finds that at once.
            const double written = use.is_box || chosen ? evaluations_a_point(use, {}) : use.calls;
            a_point += use.frame == group.outputs[0] ? written : 0;
        }
        if (member.placement == Placement::Inlined && a_point * unrolled > most.second) {
            most = {member.stage, a_point * unrolled};
        }
    }
    return most;
}

std::vector<Tile> stencil_tiles(const StageGraph &graph, const Group &group) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    const TiledDims dims = tiled_dims(graph, group);
    const int64_t width = out.dims[dims.x].extent, height = dims.y < 0 ? 1 : out.dims[dims.y].extent;
    // Where nothing shows that there is room for a tile, points have guards and each its own thread.
    const auto has_room = [&](int dim) { return dim < 0 || room_along(graph, output, dim).has_value(); };
    const bool has_width = has_room(dims.x), has_height = has_room(dims.y);
    std::vector<int> across_sizes;
    const int most_across = shares_places(graph, group) ? std::max(2, kMostBytesAcross / widest(graph, group)) : 2;
    std::copy_if(kAcross.begin(), kAcross.end(), std::back_inserter(across_sizes),
                 [&](int across) { return across <= most_across; });
    const std::vector<int> wide = with_multiples(across_sizes, group, dims.x),
                           deep = with_multiples(kDown, group, dims.y);
    std::vector<int> depths = {1};
    if (dims.z >= 0) {
        depths.push_back((int)out.dims[dims.z].extent);
    }
    std::vector<Tile> tiles;
    for (const int threads : kThreads) {
        for (const int lanes : dims.y < 0 ? std::vector<int>{threads} : kLanes) {
            for (const int across : wide) {
                for (const int down : deep) {
                    for (const int depth : depths) {
                        const Tile tile{.vector = across,
                                        .per_thread = down,
                                        .threads = threads,
                                        .lanes = lanes,
                                        .slices = depth,
                                        .dims = dims};
                        const int columns = lanes * across, rows = threads / lanes * down;
                        const bool is_one = across * down * depth == 1;
                        const bool fits = columns <= width && rows <= height &&
                                          (is_one || ((has_width || has_numbers(graph, output, dims.x, columns)) &&
                                                      (has_height || has_numbers(graph, output, dims.y, rows))));
                        if (tiles.empty() || fits) {
                            tiles.push_back(tile);
                        }
                    }
                }
            }
        }
    }
    return tiles;
}

bool has_whole_tile(const StageGraph &graph, const Group &group) {
    const std::vector<Extent> &dims = graph[group.outputs[0]].dims;
    const std::vector<Tile> tiles = stencil_tiles(graph, group);
    return std::any_of(tiles.begin(), tiles.end(), [&](const Tile &tile) {
        const std::vector<double> block = block_tile(dims.size(), tile);
        return (double)dims[tile.dims.x].extent >= block[tile.dims.x] &&
               (tile.dims.y < 0 || (double)dims[tile.dims.y].extent >= block[tile.dims.y]);
    });
}

}  // namespace fusion
