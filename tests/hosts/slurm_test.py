#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs under Slurm: a controller and the daemons of two nodes run here, with keys and files of their own; parcrun and marun
find the allocation that salloc and sbatch give them, and start node processes by srun.

usage: slurm_test.py BUILD-DIRECTORY"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import hosts  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
PARCRUN, MARUN = BUILD / "bin/parcrun", BUILD / "bin/marun"
NODES = ["node1", "node2"]
failures = 0


def expect(condition, what, output=""):
    global failures
    print(("ok: " if condition else "FAILED: ") + what, flush=True)
    if not condition:
        failures += 1
        print(output)


def configuration(folder):
    return f"""ClusterName=test
SlurmctldHost=controller(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/daemon-%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/daemon-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillWait=3
NodeName=node[1-2] NodeHostname=controller NodeAddr=127.0.0.1 Port=[17821-17822] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="taihu-slurm-"))
        self.folder.chmod(0o755)
        for name in ["state"] + [f"tmp-{node}" for node in NODES]:
            (self.folder / name).mkdir()
        secret = self.folder / "secret"
        secret.mkdir(0o700)
        (secret / "key").write_bytes(os.urandom(1024))
        (secret / "key").chmod(0o400)
        (self.folder / "slurm.conf").write_text(configuration(self.folder))
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        subprocess.run(["hostname", "controller"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", "/var/spool"], check=False)
        hosts_file = self.folder / "hosts"
        hosts_file.write_text("127.0.0.1 localhost controller node1 node2\n")
        subprocess.run(["mount", "--bind", str(hosts_file), "/etc/hosts"], check=True)
        # Slurm looks up addresses of its own only where a network other than the loopback exists.
        for words in ("link add name switch0 type bridge", "addr add 10.77.0.1/24 dev switch0", "link set switch0 up"):
            hosts.call("ip", *words.split())
        self.daemons = []
        self.start(["munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={secret}/key",
                    f"--pid-file={secret}/pid", f"--seed-file={secret}/seed", f"--log-file={secret}/log"])
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.start(["slurmctld", "-D", "-i"])
        for node in NODES:
            self.start(["slurmd", "-D", "-N", node])
        self.wait_for(lambda: self.states() == {"idle"}, "both nodes")

    def start(self, words):
        self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def wait_for(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                for log in self.folder.glob("*.log"):
                    print(f"--- {log.name}\n{log.read_text()}")
                sys.exit(f"FAILED: {what} did not come up within 60 s")
            time.sleep(0.1)

    def states(self):
        listed = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%t"], capture_output=True, text=True, check=False)
        return set(listed.stdout.split())

    def close(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()
        shutil.rmtree(self.folder)


def run(words, seconds=120):
    words = [str(word) for word in words]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired as late:
        return None, str(late.stdout)
    return done.returncode, done.stdout


def node_processes():
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.path.basename(os.readlink(process / "exe")) in ("parallelc-node", "mpi-node"):
                found.append(int(process.name))
        except OSError:
            pass
    return found


def nothing_stays(slurm):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not node_processes() and slurm.states() == {"idle"}:
            return True
        time.sleep(0.1)
    return False


def allocations(slurm):
    for launcher, folder, name in [(PARCRUN, "programs", "messages"), (PARCRUN, "programs", "collectives"), (MARUN, "mpi", "messages"),
                                   (MARUN, "mpi", "collectives")]:
        code, output = run(["salloc", "--quiet", "--nodes=2", launcher, "-n", 4, "--threads", 1, "--timeout", 100,
                            BUILD / "tests" / folder / name])
        expect(code == 0 and f"{name}: passed" in output, f"salloc: {launcher.name} starts {name} on both nodes", f"{code}: {output}")
    code, output = run(["salloc", "--quiet", "--nodes=2", PARCRUN, "-n", 4, "--dry-run", "/bin/true"])
    expect(code == 0 and "srun" in output and "--nodes=2" in output, "the command is srun's", f"{code}: {output}")
    code, output = run(["salloc", "--quiet", "--nodes=2", PARCRUN, "-n", 4, "/bin/sh", "-c", "[ $TAIHU_RANK != 3 ] || exit 7"])
    expect(code == 7 and "rank 3" in output, "a rank's exit code is that of the job", f"{code}: {output}")
    expect(nothing_stays(slurm), "nothing stays after it")


def batch(slurm):
    script = slurm.folder / "job.sh"
    script.write_text(f"#!/bin/sh\n{MARUN} -n 6 --threads 1 --timeout 100 {BUILD}/tests/mpi/groups\n")
    code, output = run(["sbatch", "--wait", "--nodes=2", f"--output={slurm.folder}/job.out", script])
    said = (slurm.folder / "job.out").read_text() if (slurm.folder / "job.out").exists() else ""
    expect(code == 0 and "groups: passed" in said, "sbatch: marun starts groups on both nodes", f"{code}: {output}\n{said}")


def running_job(slurm):
    job = subprocess.Popen(["salloc", "--quiet", "--nodes=2", str(PARCRUN), "-n", "4", str(BUILD / "tests/hosts/forever")],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    for line in job.stdout:
        said.append(line)
        if "running" in line:
            return job
    sys.exit(f"slurm: the job has not started, exit code {job.wait()}: {''.join(said)}")


def killed(slurm):
    job = running_job(slurm)
    os.kill(node_processes()[-1], signal.SIGKILL)
    output, _ = job.communicate(timeout=60)
    expect(job.returncode != 0, "a killed node process ends the job with a failure", f"{job.returncode}: {output}")
    expect(nothing_stays(slurm), "nothing stays after it")


def cancelled(slurm):
    job = running_job(slurm)
    listed = subprocess.run(["squeue", "--noheader", "--format=%i"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["scancel", *listed], check=True)
    output, _ = job.communicate(timeout=60)
    expect(job.returncode != 0, "scancel ends the job", f"{job.returncode}: {output}")
    expect(nothing_stays(slurm), "nothing stays after it")


def main():
    for program in ("munged", "slurmctld", "slurmd", "srun"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            hosts.skip(f"no {program} (Debian packages slurmctld, slurmd, slurm-client, munge)")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    hosts.own_world()
    slurm = Slurm()
    try:
        allocations(slurm)
        batch(slurm)
        killed(slurm)
        cancelled(slurm)
    finally:
        slurm.close()
    print(f"slurm: {'failed' if failures else 'passed'}")
    sys.exit(failures != 0)


main()
