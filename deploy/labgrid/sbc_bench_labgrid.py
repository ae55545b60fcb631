# SPDX-License-Identifier: MIT OR Apache-2.0
"""A labgrid driver: sbc-bench on a target, over any driver that runs commands (SSHDriver, ShellDriver).

In an environment: `imports: [sbc_bench_labgrid.py]`, and `SbcBenchDriver: {}` among the drivers of the target.
"""

from __future__ import annotations

import json
import shlex

import attr
from labgrid.driver import Driver, ExecutionError
from labgrid.factory import target_factory
from labgrid.protocol import CommandProtocol
from labgrid.step import step

# Exit status of runs that finished: valid, degraded, invalid, a setting left changed, nothing shows whether valid.
WITH_RESULT = (0, 2, 3, 5, 7)


@target_factory.reg_driver
@attr.s(eq=False)
class SbcBenchDriver(Driver):
    """Runs sbc-bench and returns its results.

    Args:
        executable (str): the program on the target
        timeout (int): seconds that a run may take
    """

    bindings = {"command": CommandProtocol}
    executable = attr.ib(default="sbc-bench", validator=attr.validators.instance_of(str))
    timeout = attr.ib(default=7200, validator=attr.validators.instance_of(int))

    @Driver.check_active
    @step(args=["arguments"])
    def run(self, *arguments):
        """The result file of a run, as a dictionary. Without arguments: the standard benchmark.

        Raises ExecutionError if the run left none, such as on a busy board.
        """
        return self._json(["run", "--quiet", "--json", *arguments], self.timeout)

    @Driver.check_active
    @step()
    def doctor(self):
        """What can and cannot be measured on the target."""
        return self._json(["doctor", "--json"], 60)

    @Driver.check_active
    @step()
    def recover(self):
        """What runs have left that died, as text. To be called once the target has booted again."""
        out, err, status = self.command.run(self._line(["recover"]), timeout=120)
        if status != 0:
            raise ExecutionError("sbc-bench recover ended with %d" % status, out, err)
        return "\n".join(out)

    def _line(self, words):
        return " ".join(shlex.quote(word) for word in [self.executable, *words])

    def _json(self, words, timeout):
        """Standard output as JSON. Notes on standard error are discarded: over a console both are one stream."""
        out, err, status = self.command.run(self._line(words) + " 2>/dev/null", timeout=timeout)
        if status not in WITH_RESULT:
            raise ExecutionError("sbc-bench %s ended with %d" % (words[0], status), out, err)
        try:
            return json.loads("\n".join(out))
        except ValueError as error:
            raise ExecutionError("sbc-bench %s printed no JSON: %s" % (words[0], error), out, err) from error
