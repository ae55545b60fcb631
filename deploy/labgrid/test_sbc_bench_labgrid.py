# SPDX-License-Identifier: MIT OR Apache-2.0
"""python -m unittest, with labgrid and the program that SBC_BENCH names (else the one in PATH)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest

import attr
from labgrid import Target
from labgrid.driver import Driver, ExecutionError
from labgrid.driver.commandmixin import CommandMixin
from labgrid.protocol import CommandProtocol
from sbc_bench_labgrid import SbcBenchDriver

PROGRAM = os.environ.get("SBC_BENCH") or shutil.which("sbc-bench")


@attr.s(eq=False)
class Here(CommandMixin, Driver, CommandProtocol):
    """Runs commands on this machine, in the form of SSHDriver."""

    def run(self, command, timeout=None):
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=timeout, check=False)
        return done.stdout.splitlines(), done.stderr.splitlines(), done.returncode

    def run_check(self, command, timeout=None):
        out, err, status = self.run(command, timeout)
        if status != 0:
            raise ExecutionError("failed", out, err)
        return out

    def get_status(self):
        return 1


@unittest.skipUnless(PROGRAM, "no sbc-bench: set SBC_BENCH")
class DriverTest(unittest.TestCase):
    def driver(self, program):
        target = Target("board")
        Here(target, "here")
        driver = SbcBenchDriver(target, "bench", executable=program, timeout=120)
        target.activate(driver)
        return driver

    def test_run_returns_the_result_file(self):
        record = self.driver(PROGRAM).run("--force", "--no-tuning", "--repeat", "1", "--", "true")
        self.assertEqual(record["run"]["end"], "finished")
        self.assertIn(record["verdict"], ("valid", "degraded", "invalid", "unproven"))

    def test_doctor_returns_json(self):
        self.assertTrue(self.driver(PROGRAM).doctor())

    def test_program_that_is_missing_is_an_error(self):
        with self.assertRaises(ExecutionError):
            self.driver("/nowhere/sbc-bench").run()

    def test_status_says_whether_there_is_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "sbc-bench")
            for status in range(9):
                with open(program, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\necho '{\"schema\": 1}'\nexit %d\n" % status)
                os.chmod(program, 0o755)
                with self.subTest(status=status):
                    if status in (0, 2, 3, 5, 7):
                        self.assertEqual(self.driver(program).run(), {"schema": 1})
                    else:
                        with self.assertRaises(ExecutionError):
                            self.driver(program).run()

    def test_output_without_json_is_an_error(self):
        with self.assertRaises(ExecutionError):
            self.driver("true").run()


if __name__ == "__main__":
    unittest.main()
