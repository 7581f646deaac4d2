"""halide-fusion as a script sees it: stdout, stderr, exit status, files. Paths come from the environment (CMakeLists.txt)."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HALIDE_FUSION"]
LIBRARY = os.environ["TEST_LIBRARY"]
EXECUTABLE = os.environ["TEST_EXECUTABLE"]
GENERATORS = os.environ["FUSION_GENERATORS"]
BUILT_IN = ["argmax_rows", "batchnorm_stats", "bias_gelu_residual", "bilateral_grid", "blur3x3", "broadcast_chain",
            "camera_pipe", "canny_like", "cheap_fanout", "column_mean", "conv_relu", "cumulative_sum",
            "dear_fanout", "deep_chain", "depthwise_separable", "entropy", "harris", "hist_equalize", "histogram", "iir_blur",
            "integral_image", "interpolate", "jacobi_steps", "l2_normalize", "layernorm", "lens_blur", "local_laplacian",
            "log_softmax", "long_live_range", "max_filter", "mixed_types", "multi_output", "nl_means",
            "optical_flow_step", "pointwise_chain", "resize", "rmsnorm", "small_branches", "softmax",
            "softmax_masked", "stencil_chain", "total_sum", "transpose_sandwich", "trimmed_mean", "unsharp",
            "variance_rows"]
SMALL = ["width=67", "height=5"]

KERNEL = {"name", "stages", "bytes_read", "bytes_written", "flops", "recomputed_flops", "registers", "shared_bytes",
          "blocks", "waves", "occupancy", "launch_us", "read_us", "compute_us", "write_us", "time_us",
          "template", "vector", "threads"}
EDGE = {"producer", "consumer", "kind", "verdict", "rule", "why", "apart_us", "fused_us"}
TOTAL = {"launches", "bytes", "time_us"}


def run(*words, cwd=None):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=240, cwd=cwd)


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def good(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def bad(self, *words, says):
        """The exit status is 1, stdout is empty, and stderr is one message with all of `says`."""
        done = run(*words)
        self.assertEqual(done.returncode, 1, f"{words}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertNotIn("internal error", done.stderr)

    def check_plan(self, plan, name, variant="fused"):
        """The fields of the contract for scripts (and register_cap, joins, a kernel's shape); figures that agree."""
        self.assertEqual(set(plan), {"schema", "pipeline", "device", "variant", "register_cap", "fallback", "rewrites",
                                     "kernels", "edges", "joins", "totals"})
        self.assertEqual((plan["pipeline"], plan["variant"]), (name, variant))
        for kernel in plan["kernels"]:
            self.assertEqual(set(kernel), KERNEL)
            self.assertEqual(set(kernel["registers"]), {"value", "source"})
            self.assertIn(kernel["registers"]["source"], {"estimated", "measured"})
            for stage in kernel["stages"]:
                self.assertEqual(set(stage), {"func", "update", "placement"})
        for edge in plan["edges"]:
            self.assertEqual(set(edge), EDGE)
            self.assertIn(edge["verdict"], {"fused", "recomputed", "stored"})
        totals = plan["totals"]
        self.assertEqual(set(totals), {"unfused", "planned", "compulsory_bytes"})
        self.assertEqual(set(totals["unfused"]), TOTAL)
        self.assertEqual(set(totals["planned"]), TOTAL)
        self.assertEqual(totals["planned"]["launches"], len(plan["kernels"]))
        moved = sum(k["bytes_read"] + k["bytes_written"] for k in plan["kernels"])
        self.assertAlmostEqual(totals["planned"]["bytes"], moved, delta=1)
        self.assertGreaterEqual(totals["planned"]["bytes"], totals["compulsory_bytes"])


def needs_device(text):
    if "neither" in text.lower():
        raise unittest.SkipTest("neither a CUDA GPU nor an OpenCL device to run on")
