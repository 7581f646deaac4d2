"""Somebody else's generators: a shared library and an executable."""
import json
import os
import unittest

from program import BUILT_IN, EXECUTABLE, GENERATORS, LIBRARY, Case, needs_device, run


class Library(Case):
    def test_list_has_its_generators_alone(self):
        self.assertEqual(self.good("list", "--generator", LIBRARY).split(), ["sound", "without_estimates", "wrong_on_gpu"])

    def test_explain_and_run(self):
        plan = json.loads(self.good("explain", "-g", "sound", "--generator", LIBRARY, "--format", "json", "width=128"))
        self.check_plan(plan, "sound")
        text = self.good("run", "-g", "sound", "--generator", LIBRARY)
        needs_device(text)
        self.assertEqual(text.count("right"), 3)


class Executable(Case):
    def test_list(self):
        self.assertEqual(self.good("list", "--generator", GENERATORS).split(), BUILT_IN)
        self.assertEqual(self.good("list", "--generator", EXECUTABLE).split(), ["sound", "without_estimates", "wrong_on_gpu"])

    def test_explain_is_that_of_the_built_in_generator(self):
        words = ["explain", "-g", "multi_output", "width=512", "--device", "A100"]
        ours, theirs = (json.loads(self.good(*words, "--format", "json", *more)) for more in ([], ["--generator", GENERATORS]))
        self.check_plan(theirs, "multi_output")
        self.assertEqual(theirs["device"], "A100")
        self.assertEqual([k["stages"] for k in theirs["kernels"]], [k["stages"] for k in ours["kernels"]])
        self.assertEqual([e["verdict"] for e in theirs["edges"]], [e["verdict"] for e in ours["edges"]])

    def test_every_format(self):
        words = ["explain", "-g", "pointwise_chain", "--generator", GENERATORS, "--format"]
        self.assertIn("compulsory", self.good(*words, "text"))
        self.assertTrue(self.good(*words, "dot").startswith("digraph"))
        self.assertIn("<svg", self.good(*words, "svg"))

    def test_emit_leaves_the_same_files(self):
        said = self.good("emit", "-g", "pointwise_chain", "--generator", GENERATORS, "-o", self.folder, "-f", "chain")
        wanted = ["chain" + end for end in (".a", ".h", ".json", ".ptx", ".schedule.h", ".stmt")]
        self.assertEqual(sorted(os.listdir(self.folder)), wanted)
        self.assertEqual(said.split(), [self.path(name) for name in wanted])

    def test_run_compares_with_the_reference_and_counts_launches(self):
        text = self.good("run", "-g", "sound", "--generator", EXECUTABLE, "--variants", "unfused,fused")
        needs_device(text)
        rows = [line.split() for line in text.split("\n") if line.startswith("sound")]
        self.assertEqual([(row[1], row[2]) for row in rows][0], ("unfused", "3"))
        self.assertEqual(text.count("right"), 2)
        self.assertNotIn(", predicted", text)

    def test_run_finds_a_wrong_result(self):
        done = run("run", "-g", "wrong_on_gpu", "--generator", EXECUTABLE, "--variants", "fused")
        needs_device(done.stdout)
        self.assertIn("WRONG", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_mistakes(self):
        words = ["--generator", EXECUTABLE]
        self.bad("explain", "-g", "sond", *words, says=[EXECUTABLE, "sond", 'did you mean "sound"'])
        self.bad("explain", "-g", "sound", "widht=3", *words, says=["sound", "widht"])
        self.bad("emit", "-g", "without_estimates", "-o", self.path("out"), *words, says=["estimate"])
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
