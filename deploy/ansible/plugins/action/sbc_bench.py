# -*- coding: utf-8 -*-
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The part of the module that runs on the controller: one board of a power supply at a time, patience with boards that
do not answer, and one result for each board."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import tempfile
import time
from contextlib import contextmanager
from urllib.parse import quote

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

display = Display()

# Seconds behind the time limit in which the board kills the run and writes what it ended with.
GRACE = 90

# Answers without starting Python on a board that is being measured. The second look at rc is for a run that ended
# between the first one and the look at the process.
QUESTION = """cd {folder} 2>/dev/null || {{ echo gone; exit 0; }}
[ -e rc ] && {{ echo ended; exit 0; }}
read -r then <boot_id; read -r now </proc/sys/kernel/random/boot_id
read -r pid <pid
[ "$then" = "$now" ] && [ -d "/proc/$pid" ] && {{ echo running; exit 0; }}
echo ended"""

# Stands in front of each answer.
MARK = "sbc-bench-answer:"

# What the controller alone uses, with its defaults.
LOCAL = {
    "poll": 30,
    "patience": 300,
    "power_supply": None,
    "lock_dir": "~/.ansible/sbc-bench-power",
    "dest": None,
}


class Supply:
    """The lock of a power supply, held by this process. Its file holds the time up to which a board may still run that
    contact was lost to."""

    def __init__(self, file):
        self.file = file

    def lost(self, until):
        """The board may run up to then."""
        if self.file is not None:
            self.file.seek(0)
            self.file.truncate()
            self.file.write("%d\n" % until)
            self.file.flush()

    def until(self):
        """When a board that was lost has ended its run; 0 if none was."""
        self.file.seek(0)
        text = self.file.read().strip()
        return int(text) if text.isdigit() else 0


@contextmanager
def supply(name, lock_dir, host):
    """Waits until no other board of this power supply runs, and keeps others waiting."""
    if not name:
        yield Supply(None)
        return
    folder = os.path.expanduser(lock_dir)
    os.makedirs(folder, 0o700, exist_ok=True)
    path = os.path.join(folder, quote(name, safe="") + ".lock")
    with open(path, "a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.5)
        held = Supply(file)
        if held.until() > time.time():
            display.warning(
                "%s waits: a board on power supply %s that does not answer may run until %s. "
                "If its power is off, empty %s."
                % (host, name, time.strftime("%H:%M:%S", time.localtime(held.until())), path)
            )
        while held.until() > time.time():
            time.sleep(0.5)
        yield held


class ActionModule(ActionBase):
    """Begins the run, waits for its end, and writes its result."""

    _requires_connection = True
    _supports_check_mode = True

    def run(self, tmp=None, task_vars=None):
        """One board."""
        result = super().run(tmp, task_vars)
        self.task_vars = task_vars or {}
        host = self.task_vars.get("inventory_hostname", "board")
        local = dict(LOCAL)
        self.board = {}
        for name, value in self._task.args.items():
            (local if name in LOCAL else self.board)[name] = value
        self.poll = max(1, int(local["poll"]))
        self.patience = max(1, int(local["patience"]))
        if not self.board.get("run_id"):
            raise AnsibleError("sbc_bench: run_id is missing")
        # Absolute: a later task on this machine that gets the file's name begins in the folder of the playbook.
        dest = local["dest"] and os.path.abspath(os.path.expanduser(str(local["dest"])))
        known = dest and self.known(dest, host)
        if known:
            result.update(known)
            return result
        if self._task.check_mode:
            result.update(self.module())
            return result
        with supply(local["power_supply"], str(local["lock_dir"]), host) as held:
            result.update(self.one(held))
        result.setdefault("run_id", self.board["run_id"])
        if dest:
            result["file"] = write(dest, host, result)
        return result

    def known(self, dest, host):
        """The result that was written before."""
        for name in sorted(os.listdir(dest)) if os.path.isdir(dest) else []:
            stem = name[: -len(".json")] if name.endswith(".json") else ""
            if stem == host:
                with open(os.path.join(dest, name), encoding="utf-8") as file:
                    record = json.load(file)
                told = {key: record.get(key) for key in ("verdict", "verdict_sentence")}
                told.update(state="finished", ansible_facts={"sbc_bench": record})
            elif stem in [host + "." + state for state in ("died", "failed", "not_started")]:
                with open(os.path.join(dest, name), encoding="utf-8") as file:
                    told = json.load(file)
            else:
                continue
            return dict(told, changed=False, run_id=self.board["run_id"], file=os.path.join(dest, name))
        return None

    def module(self):
        """The module on the board."""
        return self._execute_module(
            module_name="sbc_bench.boards.sbc_bench", module_args=self.board, task_vars=self.task_vars
        )

    def careful(self):
        """An own connection that notices when the other side falls silent, and is not shared with earlier tasks."""
        if not self._connection.transport.endswith("ssh"):
            return
        extra = self._connection.get_option("ssh_extra_args") or ""
        alive = " -o ServerAliveInterval=%d -o ServerAliveCountMax=3" % min(10, self.poll)
        self._connection.set_option("ssh_extra_args", extra + alive)
        self._connection.set_option("control_path", "%(directory)s/sb-%%C")

    def one(self, held):
        """Begins the run and waits for its end."""
        self.careful()
        try:
            self.ask("echo here")
        except AnsibleConnectionFailure as error:
            return dict(state="not_started", changed=False, why="the board is not reachable: %s" % first_line(error))
        latest = time.time() + int(self.board.get("timeout", 7200)) + GRACE
        begun = self.patiently(self.module)
        if begun is None:
            held.lost(latest)
            return dict(state="died", changed=True, why="the board did not answer when the run was begun")
        if begun.get("failed"):
            begun.setdefault("state", "failed")
            begun.setdefault("why", begun.get("msg", "unknown"))
            return begun
        if begun["state"] != "running":
            return begun
        question = QUESTION.format(folder=shlex.quote(begun["folder"]))
        answer = "running"
        while answer == "running" and time.time() < latest:
            time.sleep(self.poll)
            answer = self.patiently(lambda: self.ask(question))
        if answer is None or answer == "running":
            held.lost(latest)
            why = "the board has not answered for %d s" % self.patience
            if answer == "running":
                why = "the run did not end at its time limit"
            return dict(state="died", changed=True, why=why)
        # A board that was started again has lost the directory: its module must not begin the run a second time.
        if answer == "gone":
            return dict(
                state="died", changed=True, why="the board was started again during the run", **self.recovered()
            )
        told = self.patiently(self.module)
        if told is None:
            return dict(state="died", changed=True, why="the run ended, and the board died before its result was read")
        return dict(told, changed=True)

    def recovered(self):
        """What the program says of the run that died."""
        program = shlex.quote(str(self.board.get("executable", "sbc-bench")))
        text = self.patiently(lambda: self.ask(program + " recover 2>/dev/null"))
        return {"recovered": text} if text else {}

    def ask(self, line):
        """Output of a shell line on the board, without what sshd and profiles print in front of it."""
        done = self._low_level_execute_command("echo %s\n%s" % (MARK, line), sudoable=True)
        _noise, mark, text = (done.get("stdout") or "").rpartition(MARK)
        if not mark:
            raise AnsibleConnectionFailure("the shell gives no answer: %s" % (done.get("stderr") or "").strip())
        return text.replace("\r", "").strip()

    def patiently(self, question):
        """The answer, or None if the board is not reachable for too long."""
        silent_since = time.time()
        while True:
            try:
                return question()
            except AnsibleConnectionFailure:
                if time.time() - silent_since > self.patience:
                    return None
                time.sleep(min(self.poll, 5))
                if hasattr(self._connection, "reset"):
                    try:
                        self._connection.reset()
                    except AnsibleConnectionFailure:
                        continue


def first_line(error):
    """The first line of an error."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else "no reason was given"


def write(dest, host, result):
    """The result as a file of the board's name: whole or not at all, and never in place of another one."""
    os.makedirs(dest, exist_ok=True)
    if result["state"] == "finished":
        content, name = result["ansible_facts"]["sbc_bench"], host + ".json"
    else:
        keys = ("state", "why", "exit_status", "run_id", "recovered")
        content = {key: result[key] for key in keys if result.get(key) is not None}
        content.update(host=host, seen_unix=int(time.time()))
        name = "%s.%s.json" % (host, result["state"])
    with tempfile.NamedTemporaryFile("w", dir=dest, suffix=".new", encoding="utf-8") as new:
        json.dump(content, new)
        new.flush()
        os.fsync(new.fileno())
        path = os.path.join(dest, name)
        os.link(new.name, path)
    return path
