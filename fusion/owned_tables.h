#pragma once
/// A form of private kernels (private_kernel.h): a block has a tile of owners, a thread each or one for several channels, and
/// their tables in its shared memory: histograms of the cells of a grid. What the place in a table depends on is read once
/// for all channels of a thread. In the order that the user wrote: nobody else adds to an owner's table.
///
/// Of the kernel's tile, `lanes` and `threads` say how many owners are beside and below each other, `slices` how many a thread
/// has along dims.z, and `per_thread` how many steps are written out.
/// Limit: Funcs with one update, which adds where data say.
#include <vector>

#include "fusion/private_kernel.h"

namespace fusion {

/// Shared memory of a block's tables: the rest is left to other blocks of the multiprocessor, two at least.
inline constexpr double kMostTableBytes = 40 * 1024;

/// The kernel's tile is one of these.
inline bool has_table_tile(const Tile &tile) {
    return tile.lanes > 0;
}

/// Owned dimensions along which the update reads nothing else, and adds to the same place: channels.
std::vector<int> channel_dims(const StageGraph &graph, Vertex stage);

/// Tiles for which a block has room; none where the update does not add to a place that data say. The price chooses.
std::vector<Tile> table_tiles(const StageGraph &graph, const Group &group, const Device &device);

PrivateWork table_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Bytes of the points that one owner has; infinite where they depend on sizes known at run time only.
double owned_bytes(const StageGraph &graph, Vertex stage);

}  // namespace fusion
