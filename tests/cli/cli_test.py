"""What the program prints, its exit status and the files it leaves."""
import json
import os
import unittest

from program import BUILT_IN, EXECUTABLE, LIBRARY, SMALL, Case, needs_device, run


class Usage(Case):
    def test_without_arguments_prints_usage_and_the_list(self):
        text = self.good()
        for word in ["explain", "emit", "run", "list", "rules", "devices", "plugin-path", *BUILT_IN]:
            self.assertIn(word, text)

    def test_list_is_a_name_a_line(self):
        self.assertEqual(self.good("list").split("\n"), BUILT_IN + [""])

    def test_rules(self):
        text = self.good("rules")
        for rule in ["vertical-fusion", "recompute-or-store", "register-pressure", "launch-arguments", "transposed-coalescing"]:
            self.assertIn(rule, text)

    def test_devices(self):
        text = self.good("devices")
        for word in ["H200", "A100", "L40S", "generic", "memory bandwidth"]:
            self.assertIn(word, text)

    def test_plugin_path_is_that_of_the_plugin(self):
        path = self.good("plugin-path").strip()
        self.assertEqual(os.path.basename(path), "libautoschedule_fusion.so")
        self.assertTrue(os.path.isabs(path) and os.path.exists(path), path)

    def test_help_of_a_command(self):
        self.assertIn("--format", self.good("explain", "--help"))


class Explain(Case):
    def test_text_names_kernels_verdicts_and_totals(self):
        text = self.good("explain", "-g", "pointwise_chain")
        for part in ["sum", "product", "output", "fused", "unfused", "launches", "compulsory", "registers"]:
            self.assertIn(part, text)

    def test_json_of_every_variant(self):
        for variant, launches in ("fused", 1), ("inlined", 1), ("unfused", 3):
            plan = json.loads(self.good("explain", "-g", "pointwise_chain", "--format", "json", "--variant", variant))
            self.check_plan(plan, "pointwise_chain", variant)
            self.assertEqual(len(plan["kernels"]), launches)
            self.assertEqual(plan["totals"]["unfused"]["launches"], 3)

    def test_parameters_set_the_sizes(self):
        plan = json.loads(self.good("explain", "-g", "pointwise_chain", "--format", "json", "width=1000", "height=10"))
        self.assertEqual(plan["totals"]["compulsory_bytes"], 4 * 1000 * 10 * 4)

    def test_device_is_the_one_asked_for(self):
        plan = json.loads(self.good("explain", "-g", "cheap_fanout", "--format", "json", "--device", "a100"))
        self.assertEqual(plan["device"], "A100")

    def test_dot_and_svg(self):
        dot = self.good("explain", "-g", "multi_output", "--format", "dot")
        self.assertTrue(dot.startswith("digraph"), dot[:40])
        svg = self.good("explain", "-g", "multi_output", "--format", "svg")
        self.assertIn("<svg", svg)
        self.assertIn("difference", svg)

    def test_the_same_bytes_twice(self):
        first, second = (self.good("explain", "-g", "transpose_sandwich") for _ in range(2))
        self.assertEqual(first, second)


class Emit(Case):
    def names(self, folder):
        return sorted(os.listdir(folder))

    def test_leaves_all_files_and_nothing_else(self):
        out = self.path("new/folder")
        said = self.good("emit", "-g", "pointwise_chain", "-o", out)
        wanted = ["pointwise_chain" + end for end in (".a", ".h", ".json", ".ptx", ".schedule.h", ".stmt")]
        self.assertEqual(self.names(out), wanted)
        self.assertEqual(said.split(), [os.path.join(out, name) for name in wanted])
        with open(os.path.join(out, "pointwise_chain.ptx"), errors="replace") as ptx:
            code = ptx.read()
        self.assertRegex(code, r"ld\.global(\.nc)?\.v4")
        self.assertIn("st.global.v4", code)
        with open(os.path.join(out, "pointwise_chain.json")) as plan:
            self.check_plan(json.load(plan), "pointwise_chain")
        with open(os.path.join(out, "pointwise_chain.schedule.h")) as header:
            self.assertIn("apply_schedule_pointwise_chain(", header.read())

    def test_function_names_the_files(self):
        self.good("emit", "-g", "cheap_fanout", "-o", self.folder, "-f", "mine", *SMALL)
        self.assertEqual({name.split(".")[0] for name in self.names(self.folder)}, {"mine"})

    def test_replaces_older_files_and_keeps_others(self):
        for name in "cheap_fanout.h", "mine.txt":
            with open(self.path(name), "w") as old:
                old.write("old")
        self.good("emit", "-g", "cheap_fanout", "-o", self.folder, *SMALL)
        with open(self.path("cheap_fanout.h")) as header:
            self.assertIn("cheap_fanout", header.read())
        self.assertIn("mine.txt", self.names(self.folder))

    def test_failures_leave_nothing(self):
        out = self.path("out")
        self.bad("emit", "-g", "cheap_fanuot", "-o", out, says=["cheap_fanout"])
        self.bad("emit", "-g", "cheap_fanout", "-o", out, "--target", "host-cudda", says=["host-cudda", "Next step"])
        self.bad("emit", "-g", "cheap_fanout", "-o", out, "--target", "host", says=["CUDA", "OpenCL", "Next step"])
        self.bad("emit", "-g", "without_estimates", "--generator", LIBRARY, "-o", out, says=["estimate"])
        self.assertEqual(self.names(self.folder), [])

    def test_a_folder_where_a_file_should_go(self):
        os.mkdir(self.path("cheap_fanout.h"))
        self.bad("emit", "-g", "cheap_fanout", "-o", self.folder, *SMALL, says=["cheap_fanout.h", "folder"])
        self.assertEqual(self.names(self.folder), ["cheap_fanout.h"])

    def test_unwritable_folder(self):
        with open(self.path("file"), "w"):
            pass
        self.bad("emit", "-g", "cheap_fanout", "-o", self.path("file/inside"), says=[self.path("file"), "Next step"])
        self.bad("emit", "-g", "cheap_fanout", "-o", "/proc/halide-fusion", says=["/proc/halide-fusion"])
        self.assertEqual(self.names(self.folder), ["file"])

    def test_reference_is_for_the_cpu(self):
        self.good("emit", "-g", "cheap_fanout", "-o", self.folder, "--variant", "reference", "--target", "host", *SMALL)
        self.assertEqual(self.names(self.folder), ["cheap_fanout" + end for end in (".a", ".h", ".stmt")])


    def test_hand_schedule_has_no_plan(self):
        self.good("emit", "-g", "pointwise_chain", "-o", self.folder, "--variant", "hand")
        self.assertEqual(self.names(self.folder), ["pointwise_chain" + end for end in (".a", ".h", ".ptx", ".stmt")])
        with open(self.path("pointwise_chain.ptx"), errors="replace") as ptx:
            code = ptx.read()
        self.assertRegex(code, r"ld\.global(\.nc)?\.v4")
        self.assertIn("st.global.v4", code)


class Run(Case):
    def test_prints_a_table_of_variants(self):
        text = self.good("run", "-g", "pointwise_chain", *SMALL)
        needs_device(text)
        rows = [line.split() for line in text.split("\n") if line.startswith("pointwise_chain")]
        self.assertEqual([(row[1], row[2]) for row in rows], [("unfused", "3"), ("inlined", "1"), ("fused", "1")])
        self.assertEqual(text.count("right"), 3)
        self.assertNotIn("predicted 3 launches", text)

    def test_variants_are_those_asked_for(self):
        text = self.good("run", "-g", "mixed_types", "--variants", "fused", *SMALL)
        self.assertIn("mixed_types", text)
        self.assertNotIn("unfused ", text.split("\n", 2)[2])

    def test_hand_schedules(self):
        for generator in "pointwise_chain", "transpose_sandwich":
            text = self.good("run", "-g", generator, "--variants", "fused,hand", *SMALL)
            needs_device(text)
            self.assertEqual(text.count("right"), 2)
            self.assertNotIn(", predicted", text)

    def test_a_wrong_result_is_said_and_fails(self):
        done = run("run", "-g", "wrong_on_gpu", "--generator", LIBRARY, "--variants", "fused")
        needs_device(done.stdout)
        self.assertIn("WRONG", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_unknown_variant(self):
        self.bad("run", "-g", "mixed_types", "--variants", "fused,fast", says=["fast", "fused, unfused, inlined", "hand"])

    def test_no_hand_schedule(self):
        out = self.path("out")
        for words in ["run", "--variants", "fused,hand"], ["emit", "--variant", "hand", "-o", out]:
            self.bad(*words, "-g", "mixed_types", says=["mixed_types", "pointwise_chain, softmax, transpose_sandwich", "Next step"])
            self.bad(*words, "-g", "pointwise_chian", says=["pointwise_chian", 'did you mean "pointwise_chain"'])
            self.bad(*words, "-g", "sound", "--generator", LIBRARY, says=["sound", LIBRARY, "built-in"])
            self.bad(*words, "-g", "sound", "--generator", EXECUTABLE, says=["sound", EXECUTABLE, "built-in"])
        self.bad("explain", "-g", "pointwise_chain", "--variant", "hand", says=["no plan", "Next step"])
        self.assertEqual(os.listdir(self.folder), [])


class Mistakes(Case):
    def test_unknown_generator_names_the_nearest(self):
        for command in ["explain"], ["run"], ["emit", "-o", self.folder]:
            self.bad(*command, "-g", "pointwise_chian", says=["pointwise_chian", 'did you mean "pointwise_chain"'])
        self.assertEqual(os.listdir(self.folder), [])

    def test_parameters(self):
        self.bad("explain", "-g", "pointwise_chain", "widht=3", says=["pointwise_chain", "widht"])
        self.bad("explain", "-g", "pointwise_chain", "width=many", says=["pointwise_chain", "many"])
        self.bad("explain", "-g", "pointwise_chain", "width", says=["width", "key=value"])

    def test_options(self):
        self.bad("explain", "-g", "pointwise_chain", "--device", "H2000", says=["H2000", "H200", "A100", "L40S", "generic"])
        self.bad("explain", "-g", "pointwise_chain", "--variant", "fastest", says=["fastest", "unfused"])
        self.bad("explain", "-g", "pointwise_chain", "--max-registers", "7", says=["7", "16", "255"])

    def test_the_command_line_itself(self):
        for words in ["explain"], ["explode"], ["explain", "-g", "pointwise_chain", "--format", "pdf"], ["emit", "-g", "a"]:
            done = run(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertEqual(done.stdout, "")
            self.assertNotEqual(done.stderr, "")

    def test_no_estimates(self):
        for file in LIBRARY, EXECUTABLE:
            self.bad("explain", "-g", "without_estimates", "--generator", file, says=["output", "estimate", "Next step"])

    def test_files_that_are_no_generators(self):
        text = self.path("text.so")
        with open(text, "w") as file:
            file.write("not a library\n")
        for command in ["list"], ["explain", "-g", "x"], ["run", "-g", "x"], ["emit", "-g", "x", "-o", self.path("out")]:
            self.bad(*command, "--generator", text, says=[text, "Next step"])
            self.bad(*command, "--generator", "/bin/true", says=["/bin/true", "not a generator executable", "Next step"])
            self.bad(*command, "--generator", self.path("missing.so"), says=["missing.so", "No such file"])
            self.bad(*command, "--generator", self.folder, says=[self.folder, "folder"])
        self.assertEqual(os.listdir(self.folder), ["text.so"])


if __name__ == "__main__":
    unittest.main()
