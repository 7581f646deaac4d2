"""The plugin on the PyPI wheel: load_plugin, AutoschedulerParams, results and errors. Usage: wheel_test.py PLUGIN."""

import os
import sys
import tempfile
import unittest

import halide as hl

PLUGIN = os.path.abspath(sys.argv.pop(1))
CUDA = hl.Target("x86-64-linux-cuda-cuda_capability_80-no_runtime")


def chain():
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    stage, output = hl.Func("stage"), hl.Func("output")
    stage[x, y] = image[x, y] + 1.0
    output[x, y] = hl.max(stage[x, y], 0.0)
    output.set_estimates([(0, 4096), (0, 4096)])
    return hl.Pipeline(output), image


def params(**options):
    return hl.AutoschedulerParams("Fusion", options)


class Wheel(unittest.TestCase):
    def test_schedules_and_returns_the_source(self):
        pipeline, image = chain()
        results = pipeline.apply_autoscheduler(CUDA, params())
        self.assertIn("gpu_blocks(", results.schedule_source)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "out.stmt")
            pipeline.compile_to_lowered_stmt(file, [image], hl.StmtOutputFormat.Text, CUDA)
            with open(file) as text:
                statement = text.read()
        self.assertIn("halide_cuda_run(", statement)
        self.assertNotIn("allocate stage", statement)

    def test_explains(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "plan.txt")
            chain()[0].apply_autoscheduler(CUDA, params(explain=file, device="A100"))
            with open(file) as text:
                plan = text.read()
        self.assertIn("on A100", plan)
        self.assertIn("kernel 1: output", plan)

    def test_refuses_an_unknown_option_and_lists_the_valid_ones(self):
        with self.assertRaises(hl.HalideError) as caught:
            chain()[0].apply_autoscheduler(CUDA, params(colour="red"))
        self.assertIn('"colour"', str(caught.exception))
        self.assertIn("device, explain, max_registers", str(caught.exception))

    def test_refuses_a_target_without_a_gpu(self):
        with self.assertRaises(hl.HalideError) as caught:
            chain()[0].apply_autoscheduler(hl.Target("x86-64-linux"), params())
        self.assertIn("neither CUDA nor OpenCL", str(caught.exception))


if __name__ == "__main__":
    hl.load_plugin(PLUGIN)
    unittest.main()
