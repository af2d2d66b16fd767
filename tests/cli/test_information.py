# SPDX-License-Identifier: BSD-3-Clause
"""What the program says about itself: info, help at every level, versions and shell completion."""

import json
import os
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, CommandLine, commands

SUBCOMMANDS = commands()


class Info(CommandLine):
    def test_json_has_every_section(self):
        info = json.loads(self.succeed("info", "--json"))
        self.assertEqual(list(info), ["version", "compiler", "build_type", "mpi", "threads", "isa", "codecs", "algorithms",
                                      "options"])
        self.assertIn(info["isa"]["chosen"], info["isa"]["available"])
        self.assertIn("scalar", info["isa"]["available"])
        names = [row["name"] for row in info["algorithms"]]
        for name in ("stock", "auto", "ring_raw", "cpr_p2p", "c_coll", "hzccl", "homcomp", "homcomp_f", "argm"):
            self.assertIn(name, names)
        fused = info["algorithms"][names.index("homcomp_f")]
        self.assertEqual((fused["schedule"], fused["payload"], fused["published_as"]), ("ring", "fused", "HomComp_F"))
        chosen = info["algorithms"][names.index("auto")]
        self.assertEqual((chosen["schedule"], chosen["payload"], chosen["codec"]), ("auto", "-", "-"))
        variables = [row["environment"] for row in info["options"]]
        for name in ("LACONIC_ABS", "LACONIC_REL", "LACONIC_FORCE_ISA", "LACONIC_CODEC", "LACONIC_THREADS"):
            self.assertIn(name, variables)

    def test_codecs(self):
        rows = json.loads(self.succeed("info", "--codecs", "--json"))["codecs"]
        for row in rows:
            self.assertEqual(list(row), ["name", "description", "keeps_bound", "adds", "available"])
            self.assertEqual([type(row[key]) for key in list(row)[2:]], [bool] * 3)
        named = {row["name"]: row for row in rows}
        self.assertEqual([named["fle"][key] for key in ("keeps_bound", "adds", "available")], [True, True, True])
        self.assertEqual([named["raw"][key] for key in ("keeps_bound", "adds", "available")], [True, False, True])
        text = self.succeed("info", "--codecs").decode()
        self.assertRegex(text, r"^name +keeps bound +adds +available +description\n")
        self.assertRegex(text, r"\nraw +yes +no +yes +")

    def test_threads(self):
        threads = json.loads(self.succeed("info", "--json"))["threads"]
        self.assertEqual(list(threads), ["openmp", "available"])
        if threads["openmp"]:
            one = json.loads(self.succeed("info", "--json", environment={"OMP_NUM_THREADS": "3"}))["threads"]
            self.assertEqual(one["available"], 3)
            self.assertRegex(self.succeed("info", environment={"OMP_NUM_THREADS": "3"}).decode(), r"\nthreads +3 ")
        else:
            self.assertEqual(threads["available"], 1)

    def test_every_flag_is_one_of_a_command(self):
        rows = json.loads(self.succeed("info", "--options", "--json"))["options"]
        flags = {row["key"]: row["flag"] for row in rows}
        self.assertEqual((flags["audit"], flags["trace_timing"], flags["abs"]), ("", "trace --timing", "--abs"))
        helps = {" ".join(words): self.succeed(*words, "--help").decode() for words in SUBCOMMANDS}
        for words, flag in (row["flag"].rpartition(" ")[::2] for row in rows if row["flag"]):
            # Some are those of the MPI programs, which may be missing.
            if words or "audit" in helps:
                self.assertIn(f"{flag} ", helps[words] if words else "".join(helps.values()))
        self.assertRegex(self.succeed("info", "--options").decode(), r"\nLACONIC_AUDIT +audit +- +choice ")

    def test_sections_can_be_chosen(self):
        for section, word in (("isa", "scalar"), ("codecs", "fle"), ("algorithms", "HomComp_F"), ("options", "LACONIC_ABS")):
            self.assertIn(word, self.succeed("info", f"--{section}").decode())
            chosen = json.loads(self.succeed("info", "--json", f"--{section}"))
            self.assertEqual([key for key in chosen if key in ("isa", "codecs", "algorithms", "options")], [section])
        both = self.succeed("info", "--isa", "--algorithms").decode()
        self.assertIn("Engines", both)
        self.assertIn("Algorithms", both)

    def test_a_forced_engine_is_the_chosen_one(self):
        for name in json.loads(self.succeed("info", "--json"))["isa"]["available"]:
            info = json.loads(self.succeed("info", "--json", environment={"LACONIC_FORCE_ISA": name}))
            self.assertEqual(info["isa"]["chosen"], name)

    def test_overview(self):
        text = self.succeed("info").decode()
        self.assertIn(json.loads(self.succeed("info", "--json"))["version"], text)
        self.assertIn("scalar", text)


class Help(CommandLine):
    def test_every_level_has_usage_options_and_examples(self):
        for words in [[], *SUBCOMMANDS]:
            for flag in ("--help", "-h"):
                text = self.succeed(*words, flag).decode()
                self.assertTrue(text.startswith("Usage: " + " ".join(["laconic", *words])), text)
                self.assertIn("\nOptions:\n", text)
                self.assertIn("\nExamples:\n  ", text)
                self.assertIn("-h, --help", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 120)
            self.assertRegex(self.succeed(*words, "--version").decode(), r"^laconic \d+\.\d+\.\d+\n$")

    def test_root_help_lists_every_command(self):
        text = self.succeed("--help").decode()
        for words in [*SUBCOMMANDS, ["bench"]]:
            self.assertRegex(text, rf"\n  {words[0]} +[A-Z]")
        # No command of which this file knows nothing.
        known = {words[0] for words in SUBCOMMANDS} | {"audit", "calibrate"}
        self.assertEqual(set(re.findall(r"\n  ([a-z]+) +[A-Z]", text[:text.index("\nOptions:")])), known)
        listed = re.findall(r"\n  ([a-z]+) +[A-Z]", self.succeed("bench", "--help").decode().split("\nOptions:")[0])
        self.assertEqual(listed, ["codec", "collective", "redistribute"])

    @unittest.skipUnless(shutil.which("help2man"), "help2man is not installed")
    def test_help2man_makes_a_page(self):
        for words in [[], ["compress"], ["scale"], ["bench", "codec"]]:
            done = subprocess.run(["help2man", "--no-info", " ".join([PROGRAM, *words])], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            page = done.stdout.decode()
            self.assertIn(".SH OPTIONS", page)
            self.assertIn("\\fB\\-\\-help\\fR", page)
            self.assertIn(".SH EXAMPLES", page)


class Completion(CommandLine):
    def complete(self, *words):
        """What bash would offer for the last word."""
        self.write("script", self.succeed("completion", "bash"))
        call = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _laconic; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", call, self.path("script"), *words], capture_output=True, check=True,
                              cwd=self.directory)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()

    def test_bash_offers_commands_options_values_and_files(self):
        self.write("wave.f32", b"")
        self.assertIn("compress", self.complete("laconic", ""))
        self.assertEqual(self.complete("laconic", "comp"), ["compress", "compare", "completion"])
        self.assertEqual(self.complete("laconic", "bench", "c"), ["codec", "collective"])
        self.assertIn("--megabytes", self.complete("laconic", "bench", "codec", "--m"))
        self.assertEqual(self.complete("laconic", "compress", "--type", ""), ["f32", "f64", "f16", "bf16"])
        self.assertEqual(self.complete("laconic", "bench", "codec", "--type", ""), ["f32", "f64"])
        codecs = json.loads(self.succeed("info", "--codecs", "--json"))["codecs"]
        self.assertEqual(self.complete("laconic", "compress", "--codec", ""),
                         [row["name"] for row in codecs if row["available"]])
        self.assertEqual(self.complete("laconic", "m"), ["minimum", "maximum"])
        self.assertEqual(self.complete("laconic", "scale", "--th"), ["--threads"])
        self.assertEqual(self.complete("laconic", "compress", "x", "--lo"), ["--lossless"])
        self.assertEqual(self.complete("laconic", "compress", "wa"), ["wave.f32"])
        self.assertEqual(self.complete("laconic", "compress", "x", "-o", "wa"), ["wave.f32"])
        self.assertEqual(self.complete("laconic", "completion", "z"), ["zsh"])

    def write_programs_that_say_their_options(self):
        self.write("laconic", b'''#!/bin/sh
[ "$*" = 'bench collective --help' ] && cat << end
Usage: laconic bench collective [OPTION]...
Options:
      --scope one|two  of --op, -n or --isa
      --op allreduce|reduce|reduce_scatter
                       text of
                       --more
      --bytes SIZE     how many
      --data FILE      what
      --json           print
  -h, --help           this

Examples:
  mpiexec -n 4 laconic bench
      --example
end
''')
        os.chmod(self.path("laconic"), 0o755)
        os.link(self.path("laconic"), self.path("laconic-mpich"))

    def test_bash_asks_the_program_that_knows_the_options(self):
        self.write_programs_that_say_their_options()
        for program in ("./laconic", "./laconic-mpich"):
            asked = [program, "bench", "collective"]
            self.assertEqual(self.complete(*asked, "--sc"), ["--scope"])
            self.assertEqual(self.complete(*asked, "-"), ["--scope", "--op", "--bytes", "--data", "--json", "-h", "--help"])
            self.assertEqual(self.complete(*asked, "--op", "r"), ["reduce", "reduce_scatter"])
            self.assertEqual(self.complete(*asked, "--scope", ""), ["one", "two"])
            self.assertEqual(self.complete(*asked, "--bytes", ""), [])
            self.assertEqual(self.complete(*asked, "--data", "lac"), ["laconic", "laconic-mpich"])
            self.assertIn("laconic", self.complete(*asked, "--json", ""))

    def test_bash_offers_the_mpi_programs_what_they_have(self):
        self.assertEqual(self.complete("laconic-mpich", "c"), ["calibrate"])
        self.assertEqual(self.complete("/usr/bin/laconic-openmpi", "bench", "c"), ["collective"])
        self.assertIn("complete -o filenames -F _laconic laconic laconic-mpich laconic-openmpi",
                      self.succeed("completion", "bash").decode())

    def complete_in_fish(self, line):
        """What fish would offer for the last word."""
        self.write("script", self.succeed("completion", "fish"))
        call = 'source $argv[1]; complete -C $argv[2]'
        done = subprocess.run(["fish", "--no-config", "-c", call, self.path("script"), line], capture_output=True,
                              check=True, cwd=self.directory, env={**os.environ, "HOME": self.directory})
        self.assertEqual(done.stderr, b"")
        return sorted(offer.split("\t")[0] for offer in done.stdout.decode().splitlines())

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_what_each_program_has(self):
        complete = self.complete_in_fish
        self.assertEqual(complete("laconic comp"), ["compare", "completion", "compress"])
        self.assertEqual(complete("laconic compress comp"), [])
        self.assertEqual(complete("laconic-mpich c"), ["calibrate"])
        self.assertEqual(complete("laconic bench c"), ["codec", "collective"])
        self.assertEqual(complete("laconic-openmpi bench c"), ["collective"])
        self.assertEqual(complete("laconic compress --type "), ["bf16", "f16", "f32", "f64"])
        self.assertEqual(complete("laconic bench codec --type "), ["f32", "f64"])
        self.assertEqual(complete("laconic bench codec --mega"), ["--megabytes"])
        self.assertEqual(complete("laconic completion "), ["bash", "fish", "zsh"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_asks_the_program_that_knows_the_options(self):
        self.write_programs_that_say_their_options()
        for program in ("./laconic", "./laconic-mpich"):
            def complete(words, program=program):
                return self.complete_in_fish(f"{program} bench collective {words}")

            self.assertEqual(complete("--sc"), ["--scope"])
            self.assertEqual(complete("-"), ["--bytes", "--data", "--help", "--json", "--op", "--scope", "-h"])
            self.assertEqual(complete("--op r"), ["reduce", "reduce_scatter"])
            self.assertEqual(complete("--op reduce --scope "), ["one", "two"])
            self.assertEqual(complete("--bytes "), [])
            self.assertEqual(complete("--bytes -"), [])
            self.assertEqual(complete("--data lac"), ["laconic", "laconic-mpich"])
            self.assertIn("--scope", complete("--json "))
            self.assertEqual(complete("--json z"), [])

    def test_scripts_of_all_shells_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.succeed("completion", shell)
            self.assertIn(b"compress", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, check=True)


if __name__ == "__main__":
    unittest.main()
