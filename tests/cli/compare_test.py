"""halide-fusion compare: variants of anybody's generator, each in a process of its own."""
import json
import os
import subprocess
import unittest

from program import EXECUTABLE, LIBRARY, SMALL, Case, needs_device, run

VARIANT = {"name", "error", "planning_seconds", "compiling_seconds", "peak_bytes", "register_cap", "launches",
           "milliseconds", "is_right", "differing", "difference"}


class Compare(Case):
    def compare(self, *words, status=(0,)):
        """The variants by name, as the JSON has them."""
        file = self.path("results.json")
        done = run("compare", *words, "--json", file)
        self.assertIn(done.returncode, status, done.stderr + done.stdout)
        with open(file) as stream:
            results = json.load(stream)
        self.assertEqual(results["schema"], 1)
        for variant in results["variants"]:
            self.assertEqual(set(variant), VARIANT)
            self.assertIn("\n" + variant["name"] + " ", done.stdout)
        self.stderr = done.stderr
        return {variant["name"]: variant for variant in results["variants"]}

    def test_built_in_with_its_hand_schedule(self):
        variants = self.compare("-g", "softmax", *SMALL, "--variants", "hand,unfused,fused")
        self.assertEqual(list(variants), ["hand", "unfused", "fused"])
        self.assertGreater(variants["fused"]["planning_seconds"], 0)
        self.assertGreater(variants["fused"]["peak_bytes"], 10e6)
        self.assertEqual(variants["fused"]["register_cap"], 64)
        needs_device(self.stderr)
        for variant in variants.values():
            self.assertTrue(variant["is_right"], variant)
        self.assertEqual(variants["unfused"]["launches"], 4)
        self.assertEqual(variants["fused"]["launches"], 1)

    def test_library_and_executable(self):
        for file in LIBRARY, EXECUTABLE:
            variants = self.compare(file, "-g", "sound", "width=128", "--variants", "hand,fused,Mullapudi2016")
            self.assertEqual(variants["fused"]["error"], "")
            needs_device(self.stderr)
            self.assertTrue(variants["fused"]["is_right"])
            self.assertEqual(variants["hand"]["launches"], 0)  # it has no schedule, so Halide inlines it on the CPU

    def test_a_wrong_result_is_found(self):
        variants = self.compare(EXECUTABLE, "-g", "wrong_on_gpu", "--variants", "hand,fused", status=(0, 1))
        needs_device(self.stderr)
        self.assertIn("differ", variants["fused"]["difference"])
        self.assertFalse(variants["fused"]["is_right"])

    def test_limits(self):
        variants = self.compare("-g", "softmax", *SMALL, "--variants", "fused", "--memory-limit", "50MB", status=(1,))
        self.assertIn("status", variants["fused"]["error"])

    def test_bundle_needs_nothing_but_itself(self):
        folder = self.path("bundle")
        text = self.good("compare", "-g", "pointwise_chain", *SMALL, "--variants", "fused", "--bundle", folder)
        self.assertIn(folder + "/run", text)
        self.assertEqual(sorted(os.listdir(folder)), ["bundle.json", "fused", "reference", "reference_fma", "run"])
        for program in "fused", "reference", "run":
            needs = subprocess.run(["ldd", os.path.join(folder, program)], capture_output=True, text=True).stdout
            self.assertNotIn("libHalide", needs)
            self.assertNotIn("libstdc++", needs)
        here = subprocess.run([folder + "/run"], capture_output=True, text=True)
        there = run("compare", "--run", folder)
        for done in here, there:
            self.assertIn("\nfused ", done.stdout, done.stderr)

    def test_mistakes(self):
        self.bad("compare", "-g", "softmax", "--variants", "fuesd", says=["fuesd", 'did you mean "fused"', "Li2018"])
        self.bad("compare", says=["-g NAME", "--run DIR"])
        self.bad("compare", "-g", "sofmax", says=["sofmax", 'did you mean "softmax"'])
        self.bad("compare", "--run", self.path("nowhere"), says=["nowhere"])
        self.bad("compare", EXECUTABLE, "-g", "without_estimates", "--variants", "fused", says=["estimate"])


if __name__ == "__main__":
    unittest.main()
