#pragma once
/// The rules of legality: what the graph alone allows. rules.cpp lists them.
#include "fusion/rules.h"

namespace fusion {

Decision pipeline_input(const Candidate &candidate);
Decision output_is_stored(const Candidate &candidate);
Decision user_schedule(const Candidate &candidate);
Decision extern_stage(const Candidate &candidate);
Decision reduction_boundary(const Candidate &candidate);
Decision update_stages(const Candidate &candidate);
Decision kept_apart(const Candidate &candidate);
Decision partly_read(const Candidate &candidate);
Decision read_kind(const Candidate &candidate);
Decision stencil_tile(const Candidate &candidate);

}  // namespace fusion
