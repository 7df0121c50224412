"""`evener lab`: words, exit codes, and the same bytes for the same seed."""
import csv
import json
import os
import subprocess

import harness


class Lab(harness.Case):
    def lab(self, *args):
        return subprocess.run([harness.BINARY, "lab", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.PATIENCE, text=True, check=False)

    def test_list_names_every_experiment(self):
        text = self.lab("list")
        self.assertEqual(text.returncode, 0)
        listed = json.loads(self.lab("list", "--json").stdout)["experiments"]
        self.assertGreater(len(listed), 0)
        for experiment in listed:
            self.assertIn(experiment["id"], text.stdout)
            self.assertIn(experiment["name"], text.stdout)
            self.assertTrue(experiment["source"])
        self.assertLess(sum(e["seconds"] for e in listed if not e["nightly"]), 180)

    def test_same_seed_same_bytes_for_any_number_of_threads(self):
        runs = [self.lab("run", "E07", "--scale", "0.2", "--seed", "7", "--json", "-", "--jobs", jobs)
                for jobs in ("1", "2", "2", "5")]
        self.assertEqual({run.returncode for run in runs}, {0}, runs[0].stdout)
        self.assertEqual(len({run.stdout for run in runs}), 1)
        other = self.lab("run", "E07", "--scale", "0.2", "--seed", "8", "--json", "-")
        self.assertNotEqual(other.stdout, runs[0].stdout)

    def test_run_prints_conventions_and_writes_files(self):
        paths = {form: os.path.join(self.folder, "out." + form) for form in ("json", "csv")}
        done = self.lab("run", "max-load", "--scale", "0.1", "--json", paths["json"], "--csv", paths["csv"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("samples", "ties", "counts", "interval", "seed", "expected", "verdict"):
            self.assertIn(word, done.stdout)
        self.assertNotIn("\033", done.stdout, "colours only on a terminal")
        with open(paths["json"], encoding="utf-8") as f:
            rows = json.load(f)["experiments"][0]["rows"]
        with open(paths["csv"], encoding="utf-8", newline="") as f:
            table = list(csv.DictReader(f))
        self.assertEqual([r["row"] for r in rows], [r["row"] for r in table])
        self.assertEqual({r["verdict"] for r in table}, {"good"})

    def test_every_table_ends_with_the_line_that_gives_it_again(self):
        done = self.lab("run", "E07", "E08", "--scale", "0.01", "--seed", "7")
        self.assertEqual(done.stderr, "", "what is as expected is no error")
        self.assertTrue(done.stdout.endswith("\nAgain: evener lab run E08 --seed 7 --scale 0.01\n"))
        self.assertIn("\nAgain: evener lab run E07 --seed 7 --scale 0.01\n", done.stdout)
        plan = self.lab("plan", "--rate", "300", "--p99", "100ms", "--calls", "2000", "--runs", "2")
        self.assertRegex(plan.stdout, r"\nAgain: evener lab plan --rate 300 .* --seed 1\n$")

    def test_a_scenario_that_stops_says_on_stderr_how_to_have_it_again(self):
        path = os.path.join(self.folder, "too much.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("name: too-much\nservers: [{ count: 1 }]\nwork: exp(mean=1)\n"
                    "arrivals: { rate: 100 }\nrun: { for: 60s, runs: 1 }\n")
        done = self.lab("scenario", path, "--policy", "p2c", "--seed", "9")
        again = f"Again: evener lab scenario '{path}' --policy p2c --seed 9\n"
        self.assertRegex(done.stderr, "too-much, p2c: .*calls had not ended when the time was over. " + again)
        self.assertTrue(done.stdout.endswith(again), done.stdout[-300:])
        self.assertEqual(self.lab("scenario", path, "--policy", "p2c,random", "--seed", "9").stderr.count("Again"), 3)

    def test_bad_usage_is_exit_2_and_says_what_to_do(self):
        for args in ([], ["walk"], ["run"], ["run", "E07", "--scale", "0"], ["run", "E07", "--jobs", "-1"],
                     ["run", "E07", "--seed", "x"], ["check", "--slow"], ["list", "E07"]):
            with self.subTest(args=args):
                done = self.lab(*args)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertTrue(done.stderr.strip())
        typo = self.lab("run", "max-laod")
        self.assertEqual(typo.returncode, 2)
        self.assertIn("did you mean `max-load`", typo.stderr)

    def test_html_is_one_page_the_same_for_any_number_of_threads(self):
        runs = [self.lab("run", "E07", "--scale", "0.05", "--html", "-", "--jobs", jobs) for jobs in ("1", "3")]
        if runs[0].returncode == 2:
            self.assertIn("npm", runs[0].stderr, "it says what is missing")
            self.skipTest(runs[0].stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        self.assertTrue(runs[0].stdout.startswith("<!doctype html>"))
        self.assertIn("evener lab run E07 --seed 1 --scale 0.05 --html report.html", runs[0].stdout)

    def test_plan_has_a_page(self):  # that of lab check: tests/browser
        page = self.lab("plan", "--rate", "1000", "--p99", "100ms", "--calls", "2000", "--runs", "2", "--html", "-")
        if page.returncode == 2:
            self.assertIn("npm", page.stderr, "it says what is missing")
            self.skipTest(page.stderr)
        self.assertTrue(page.stdout.startswith("<!doctype html>"), page.stdout[:200])
        self.assertIn("evener lab plan --rate 1000 --work 'exp(mean=0.01)' --p99 100ms", page.stdout)

    def test_a_result_that_cannot_be_written_is_exit_1(self):
        done = self.lab("run", "E07", "--scale", "0.01", "--json", os.path.join(self.folder, "no", "out.json"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_help_has_examples(self):
        for args in (["--help"], ["list", "--help"], ["run", "--help"], ["check", "--help"]):
            with self.subTest(args=args):
                done = self.lab(*args)
                self.assertEqual(done.returncode, 0)
                self.assertIn("Examples", done.stdout)


if __name__ == "__main__":
    harness.main()
