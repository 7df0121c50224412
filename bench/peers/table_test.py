#!/usr/bin/env python3
"""What table.py makes of a small report."""
import unittest

import table


def entry(name, rate, kind="iteration"):
    return {"run_name": name, "run_type": kind, "items_per_second": rate}


class Table(unittest.TestCase):
    def test_medians_spread_and_ratios(self):
        found = table.samples({"benchmarks": [
            entry("peers/evener_peak_ewma/1000", 1e9 / 40),
            entry("peers/evener_peak_ewma/1000", 1e9 / 50),
            entry("peers/evener_peak_ewma/1000", 1e9 / 60),
            entry("peers/brpc_p2c/1000", 1e9 / 125),
            entry("peers/brpc_p2c/1000", 1e9 / 1, kind="aggregate"),
            entry("pick_finish/p2c/1000", 1e9 / 30),
            # Two threads make 20 million calls a second together: 100 ns each.
            entry("peers/brpc_p2c/1000/real_time/threads:2", 20e6),
        ]})
        self.assertEqual(sorted(found), [(1, 1000), (2, 1000)])
        self.assertAlmostEqual(found[(2, 1000)]["brpc_p2c"][0], 100)
        text = list(table.lines(found, "evener_peak_ewma"))
        self.assertIn("n=1,000, 2 threads", text[0])
        self.assertIn("50.0 [40.0-60.0] 1.00x", text[2])
        self.assertIn("125 [125-125] 2.50x", text[3])
        self.assertTrue(text[2].rstrip().endswith("- |") or "| -" in text[2])


if __name__ == "__main__":
    unittest.main()
