#!/usr/bin/python
# -*- coding: utf-8 -*-
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The part of the module that runs on the board: begins a run unless it was begun, and says how far it is."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: sbc_bench
short_description: Run sbc-bench on a board and return its result
description:
  - Starts C(sbc-bench) on a board, waits for its end and returns the result file as facts.
  - A run is named by O(run_id) and happens once. Where it exists, on the board or below O(dest), nothing is started.
  - A board that dies during the run is a result with RV(state=died), and no failure of the task.
  - The board is asked every O(poll) seconds by a shell line over one connection, which costs it a few milliseconds.
version_added: 1.0.0
author:
  - The sbc-bench contributors (@sbc-bench)
options:
  run_id:
    description:
      - Name of the run. Letters, digits, C(.), C(_) and C(-), beginning with a letter or digit.
    type: str
    required: true
  command:
    description:
      - Arguments of C(sbc-bench). Empty means the standard benchmark.
      - It must be a command that accepts C(--json), which is added in front of C(--).
    type: list
    elements: str
    default: []
  executable:
    description:
      - The program on the board, as a path or a name that is looked up in PATH.
    type: str
    default: sbc-bench
  environment_variables:
    description:
      - Variables for the run, such as C(MODE).
    type: dict
    default: {}
  timeout:
    description:
      - Seconds after which the board itself ends the run by SIGTERM, and a minute later by SIGKILL.
    type: int
    default: 7200
  state_dir:
    description:
      - Directory on the board for the state of runs. It belongs to the user that runs the module.
      - The default is C(/run/sbc-bench-ansible) for root, and C(sbc-bench-ansible-UID) in the directory for temporary
        files for others.
    type: path
  poll:
    description:
      - Seconds between two questions to the board.
    type: int
    default: 30
  patience:
    description:
      - Seconds for which a board may be unreachable during the run before it counts as dead. Long enough for a reboot,
        the death is explained by C(sbc-bench recover) on the board.
    type: int
    default: 300
  power_supply:
    description:
      - Name of the power supply that feeds the board. Boards with the same one run one after the other.
      - The controller holds a lock (flock) while the board runs. It holds for all plays on the controller, and ends
        with the process that holds it.
      - If contact to a board was lost, its power supply stays reserved until the board itself has ended the run.
    type: str
  lock_dir:
    description:
      - Directory on the controller for locks of power supplies. All plays must use the same one.
    type: path
    default: ~/.ansible/sbc-bench-power
  dest:
    description:
      - Directory on the controller for results. It gets one file for each board, C(HOST.json) for a result file,
        C(HOST.STATE.json) for a run that has none.
    type: path
attributes:
  check_mode:
    description: Says whether a run would be started. Starts nothing.
    support: full
  diff_mode:
    description: Shows the command that would be run.
    support: full
"""

EXAMPLES = r"""
- name: Standard benchmark, one board at a time on each power supply
  sbc_bench.boards.sbc_bench:
    run_id: 2026-week-48
    power_supply: "{{ power_supply | default(omit) }}"
    dest: results/2026-week-48
  register: run

- name: A command of one's own, with a limit of ten minutes
  sbc_bench.boards.sbc_bench:
    run_id: kernel-6.18-boot-1
    command: [run, --repeat, "3", --, /usr/local/bin/workload]
    timeout: 600

- name: The facts
  ansible.builtin.debug:
    msg: "{{ ansible_facts.sbc_bench.machine.soc }}: {{ ansible_facts.sbc_bench.verdict_sentence }}"
"""

RETURN = r"""
state:
  description:
    - V(finished), the result file is there.
    - V(died), the run was begun and has no end; RV(why) says what is known.
    - V(not_started), the board was not reachable, or it was busy.
    - V(failed), the program could not be started, or ended without a result file.
    - V(running), only while the action plugin waits.
  type: str
  returned: always
why:
  description: What is known of a run without a result file.
  type: str
  returned: if state is not finished
run_id:
  description: The name of the run.
  type: str
  returned: always
verdict:
  description: V(valid), V(degraded) or V(invalid).
  type: str
  returned: if state is finished
verdict_sentence:
  description: The verdict as a sentence.
  type: str
  returned: if state is finished
exit_status:
  description: Exit status of the program; 128 and more for a signal.
  type: int
  returned: if the program ended
file:
  description: The file on the controller.
  type: str
  returned: if O(dest) is set
recovered:
  description: What C(sbc-bench recover) said on the board after it died, such as step, temperature and likely cause.
  type: str
  returned: if state is died and the board is reachable
ansible_facts:
  description: The result file as C(sbc_bench). Its schema is C(docs/record.schema.json).
  type: dict
  returned: if state is finished
"""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from subprocess import DEVNULL, Popen

from ansible.module_utils.basic import AnsibleModule

BOOT_ID = "/proc/sys/kernel/random/boot_id"

# Waits without waking up, so that it disturbs nothing that is measured.
SUPERVISOR = r"""
import os, signal, sys
from subprocess import DEVNULL, Popen
timeout, command = int(sys.argv[1]), sys.argv[2:]
class Late(Exception):
    pass
def late(number, frame):
    raise Late
signal.signal(signal.SIGALRM, late)
def ended(program, seconds):
    signal.alarm(seconds)
    try:
        return program.wait()
    except Late:
        return None
    finally:
        signal.alarm(0)
with open("stdout", "wb") as out, open("stderr", "wb") as err:
    program = Popen(command, stdin=DEVNULL, stdout=out, stderr=err)
    rc = ended(program, timeout)
    if rc is None:
        err.write(b"The time limit of %d s was reached.\n" % timeout)
        err.flush()
        program.terminate()
        rc = ended(program, 60)
    if rc is None:
        program.kill()
        rc = program.wait()
with open("rc.new", "w") as new:
    new.write("%d\n" % (rc if rc >= 0 else 128 - rc))
os.rename("rc.new", "rc")
"""


def read(path, default=""):
    """Text of a file, or the default if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return default


def own_dir(path):
    """The directory of states, made if it is missing; refused if another user could change what is in it."""
    if path is None:
        is_root = os.geteuid() == 0
        user = os.path.join(tempfile.gettempdir(), "sbc-bench-ansible-%d" % os.geteuid())
        path = "/run/sbc-bench-ansible" if is_root else user
    os.makedirs(path, 0o700, exist_ok=True)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise OSError("%s is not a directory that only this user can write" % path)
    return path


def with_json(executable, command):
    """The command line, with --json among the options."""
    end = command.index("--") if "--" in command else len(command)
    return [executable] + command[:end] + ["--json"] + command[end:]


def begin(folder, params):
    """Begins the run. Raises FileExistsError if it was begun already: of two calls, one makes the directory."""
    os.mkdir(folder, 0o700)
    started = {"boot_id": read(BOOT_ID).strip(), "unix": time.time()}
    for name, text in (("started", json.dumps(started)), ("boot_id", started["boot_id"] + "\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    environment = dict(os.environ)
    environment.update({name: str(value) for name, value in params["environment_variables"].items()})
    line = with_json(params["executable"], params["command"])
    # It outlives the module, which run_command of Ansible would wait for.
    supervisor = Popen(
        [sys.executable, "-I", "-S", "-c", SUPERVISOR, str(params["timeout"])] + line,
        cwd=folder,
        env=environment,
        start_new_session=True,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    pid = os.path.join(folder, "pid")
    with open(pid + ".new", "w", encoding="utf-8") as file:
        file.write("%d\n" % supervisor.pid)
    os.rename(pid + ".new", pid)


def is_alive(folder):
    """True if the supervisor runs, and was started since the machine was."""
    if read(os.path.join(folder, "boot_id")).strip() != read(BOOT_ID).strip():
        return False
    pid = read(os.path.join(folder, "pid")).strip()
    return pid.isdigit() and "-I\0-S\0-c\0" in read("/proc/%s/cmdline" % pid)


def recovered(executable):
    """What the program says of runs that died, or an empty text."""
    try:
        done = subprocess.run([executable, "recover"], capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def ended(folder, rc, executable):
    """What a run that has ended left."""
    text = read(os.path.join(folder, "stdout"))
    last = read(os.path.join(folder, "stderr")).strip().splitlines()
    last = last[-1] if last else "it said nothing"
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if isinstance(record, dict) and "schema" in record:
        told = {name: record.get(name) for name in ("verdict", "verdict_sentence")}
        return dict(told, state="finished", exit_status=rc, ansible_facts={"sbc_bench": record})
    if rc == 4:
        return dict(state="not_started", exit_status=rc, why=last)
    if rc > 128:
        why = "signal %d ended the program" % (rc - 128)
        if last.startswith("The time limit"):
            why = last
        return dict(state="died", exit_status=rc, why=why, recovered=recovered(executable))
    return dict(state="failed", exit_status=rc, failed=True, why=last, msg="exit status %d: %s" % (rc, last))


def state(folder, executable):
    """How far the run is."""
    path = os.path.join(folder, "rc")
    # The status is written before the supervisor ends: looked for once more behind the look at the process.
    if not os.path.exists(path) and is_alive(folder):
        return dict(state="running")
    if os.path.exists(path):
        return ended(folder, int(read(path, "1") or 1), executable)
    why = "the machine was started again during the run"
    if read(os.path.join(folder, "boot_id")).strip() == read(BOOT_ID).strip():
        why = "the run was killed"
    return dict(state="died", why=why, recovered=recovered(executable))


def main():
    """Begins the run if there is none of this name, and says how far it is."""
    module = AnsibleModule(
        argument_spec=dict(
            run_id=dict(type="str", required=True),
            command=dict(type="list", elements="str", default=[]),
            executable=dict(type="str", default="sbc-bench"),
            environment_variables=dict(type="dict", default={}),
            timeout=dict(type="int", default=7200),
            state_dir=dict(type="path"),
            poll=dict(type="int", default=30),
            patience=dict(type="int", default=300),
            power_supply=dict(type="str"),
            lock_dir=dict(type="path", default="~/.ansible/sbc-bench-power"),
            dest=dict(type="path"),
        ),
        supports_check_mode=True,
    )
    params = module.params
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", params["run_id"]):
        module.fail_json(msg="run_id must be letters, digits, '.', '_' and '-'", state="failed")
    executable = params["executable"]
    if "/" not in executable:
        executable = module.get_bin_path(executable, opt_dirs=["/usr/local/bin"])
    if not executable or not os.access(executable, os.X_OK):
        msg = "%s is not on this board; the role install puts it there" % params["executable"]
        module.fail_json(msg=msg, why=msg, state="failed", run_id=params["run_id"])
    params["executable"] = executable
    try:
        folder = os.path.join(own_dir(params["state_dir"]), params["run_id"])
        is_new = not os.path.isdir(folder)
        line = " ".join(with_json(executable, params["command"])) + "\n"
        diff = dict(before="" if is_new else line, after=line)
        if not module.check_mode and is_new:
            try:
                begin(folder, params)
            except FileExistsError:
                is_new = False
        if is_new:
            told = dict(state="not_started" if module.check_mode else "running")
        else:
            told = state(folder, executable)
    except OSError as error:
        module.fail_json(msg=str(error), why=str(error), state="failed", run_id=params["run_id"])
    module.exit_json(changed=is_new, run_id=params["run_id"], folder=folder, diff=diff, **told)


if __name__ == "__main__":
    main()
