#pragma once
/// What the planner must know of a GPU. Every figure carries its unit and where it was read.
#include <string>
#include <vector>

namespace fusion {

struct Figure {
    double value;
    const char *unit;
    const char *source;
    operator double() const { return value; }
};

struct Device {
    const char *name;
    Figure multiprocessors;
    Figure threads_per_multiprocessor;
    Figure registers_per_multiprocessor;
    Figure shared_per_multiprocessor;
    Figure shared_per_block;
    Figure threads_per_block;
    Figure registers_per_thread;  ///< what the Halide runtime lets the driver use unless told otherwise
    Figure argument_bytes;        ///< of one launch
    Figure l1;                    ///< of a multiprocessor, shared memory included
    Figure l2;
    Figure memory_bandwidth;  ///< sustained copy, read plus written
    Figure l2_bandwidth;      ///< re-reading what fits
    Figure memory_latency;
    Figure launch;             ///< one more dependent kernel in a stream of Halide calls
    Figure instruction_rate;   ///< 32-bit arithmetic instructions of all lanes together
    Figure overlap;            ///< share of the shorter of memory and compute time that hides behind the longer
    Figure uncoalesced_waste;  ///< bytes moved over bytes used when neighbouring threads read far apart
};

/// H200, A100, L40S, generic.
const std::vector<Device> &devices();

/// By name, case-insensitive. Throws UserError listing the valid names.
const Device &device_named(const std::string &name);

}  // namespace fusion
