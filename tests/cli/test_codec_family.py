# SPDX-License-Identifier: BSD-3-Clause
"""laconic bench codec --codecs: every codec has its row; ratio and error are those of its frames."""

import json
import unittest

from program import CommandLine, field, pack

CODECS = "fle,fle-rows,szx,raw"


class CodecFamily(CommandLine):
    def family(self, codecs, *arguments):
        return json.loads(self.succeed("bench", "codec", "--data", "in", "--megabytes", "1", "--repetitions", "2",
                                       "--codecs", codecs, *arguments, "--json"))

    def test_every_codec_has_its_row(self):
        for kind in ("f32", "f64"):
            self.write("in", pack(field(7000), kind))
            rows = self.family("all", "--type", kind, "--rel", "1e-3", "--row-length", "100", "--rate", "12")
            names = [row["codec"] for row in rows]
            self.assertEqual(names[:3], ["fle", "fle-rows", "szx"])
            self.assertIn("raw", names)
            for row in rows:
                for speed in ("memcpy_gbps", "compress_gbps", "decompress_gbps"):
                    self.assertGreater(row[speed], 0)
                self.assertAlmostEqual(row["ratio"], (1 << 20) / row["frame_bytes"], places=4)
                if row["codec"] != "zfp_rate":
                    self.assertEqual(row["violations"], 0, row["codec"])
                    self.assertLessEqual(row["max_error"], row["bound"])
                if row["codec"] == "raw" or row["codec"].startswith("zstd"):
                    self.assertEqual((row["max_error"], row["psnr"]), (0, None))

    def test_what_is_not_there_is_refused(self):
        self.write("in", pack(field(100), "f32"))
        words = ("bench", "codec", "--data", "in", "--type", "f32", "--rel", "1e-3", "--codecs")
        self.refuse(2, (*words, "fle,sz9"), "sz9", "fle-rows")
        self.refuse(2, (*words, "fle-rows"), "--row-length")

    def test_fle_is_what_the_engines_show(self):
        self.write("in", pack(field(7000), "f32"))
        shared = ("--type", "f32", "--abs", "0.01")
        engine = json.loads(self.succeed("bench", "codec", "--data", "in", "--megabytes", "1", "--repetitions", "1",
                                         *shared, "--engines", "scalar", "--json"))[0]
        row = self.family("fle", *shared, "--engines", "scalar")[0]
        self.assertEqual(row["engine"], "scalar")
        for key in ("frame_bytes", "max_error", "bound", "values", "violations"):
            self.assertEqual(row[key], engine[key])
        self.assertLess(row["long_chunk_bytes"], row["frame_bytes"])

    def test_szx_stands_next_to_the_published_layout(self):
        self.write("in", pack(field(7000), "f32"))
        row = self.family("szx", "--type", "f32", "--abs", "0.01")[0]
        self.assertGreater(row["published_bytes"], 0)
        chunks = -(-row["values"] // 5120)
        self.assertEqual(row["frame_bytes"] - row["long_chunk_bytes"], 8 * (chunks - 1))

    def test_a_constant_field_is_lossless(self):
        self.write("in", pack([2.5] * 100, "f32"))
        for row in self.family(CODECS, "--type", "f32", "--rel", "1e-3", "--row-length", "50"):
            self.assertEqual((row["bound"], row["max_error"], row["violations"]), (0, 0, 0))
            self.assertIsNone(row["mean_error_over_bound"])

    def test_one_engine_at_a_time(self):
        self.write("in", pack(field(100), "f32"))
        self.refuse(2, ("bench", "codec", "--data", "in", "--type", "f32", "--rel", "1e-3", "--codecs", "fle",
                        "--engines", "scalar,scalar"), "--engines", "one")

    def test_the_table_is_readable(self):
        self.write("in", pack(field(7000), "f32"))
        text = self.succeed("bench", "codec", "--data", "in", "--type", "f32", "--rel", "1e-3", "--megabytes", "1",
                            "--repetitions", "1", "--codecs", CODECS, "--row-length", "100").decode()
        for word in (*CODECS.split(","), "violations", "memcpy"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
