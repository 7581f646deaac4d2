#include "fusion/plan.h"

#include <Halide.h>
