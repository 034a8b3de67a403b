# SPDX-License-Identifier: Apache-2.0
"""Several hosts on one machine: network namespaces, joined by a bridge, each with a host name and an address of its own.

A test calls `own_world()` first: it goes on in namespaces of mounts, processes and networks of its own, so that names do not
clash with other tests, and everything that it leaves ends with it. Addresses are seen inside these namespaces only."""
import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
INSIDE = "HOSTS_TEST_INSIDE"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def own_world():
    """Runs this script again in namespaces of its own, or skips where the kernel forbids them."""
    if os.environ.get(INSIDE):
        subprocess.run("mount -t tmpfs none /run && mkdir -p /run/netns /run/lock && ip link set lo up", shell=True, check=True)
        return
    if os.geteuid() != 0:
        skip("namespaces need root")
    if shutil.which("ip") is None:
        skip("no ip command (Debian package iproute2)")
    words = ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
    tried = subprocess.run([*words, "true"], stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode != 0:
        skip(f"this kernel allows no namespaces ({tried.stderr.strip()})")
    sys.exit(subprocess.run([*words, sys.executable, *sys.argv], env={**os.environ, INSIDE: "1"}, check=False).returncode)


def call(*words):
    subprocess.run(words, check=True)


class Hosts:
    """`count` hosts named host1, host2, ...; commands run on them by `run`, node processes by the agent of a launcher.

    All are on one switch, or as many each, in their order, on `switches`, which are joined by one link."""

    def __init__(self, count, switches=1):
        self.names = [f"host{i + 1}" for i in range(count)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="taihu-hosts-"))
        table = ["127.0.0.1 localhost"] + [f"10.77.0.{i + 1} {name}" for i, name in enumerate(self.names)]
        (self.folder / "hosts").write_text("\n".join(table) + "\n")
        # Launchers call the agent as they call ssh: options, host, words for a shell.
        agent = self.folder / "agent"
        agent.write_text(f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --mount --uts sh -c \\
  'hostname "$0" && mount --bind {self.folder}/hosts /etc/hosts && exec sh -c "$*"' "$host" "$@"
""")
        agent.chmod(0o755)
        self.agent = str(agent)
        for k in range(switches):
            call("ip", "link", "add", "name", f"switch{k}", "type", "bridge")
            call("ip", "link", "set", f"switch{k}", "up")
        self.links = []  # (host or None, device): both ends of all links
        for k in range(1, switches):
            call("ip", "link", "add", "name", f"up{k}", "type", "veth", "peer", "name", f"down{k}")
            for device, switch in ((f"up{k}", k), (f"down{k}", 0)):
                call("ip", "link", "set", device, "master", f"switch{switch}", "up")
                self.links.append((None, device))
        for i, name in enumerate(self.names):
            call("ip", "netns", "add", name)
            call("ip", "-n", name, "link", "set", "lo", "up")
            call("ip", "link", "add", f"port{i + 1}", "type", "veth", "peer", "name", "eth0", "netns", name)
            call("ip", "link", "set", f"port{i + 1}", "master", f"switch{i * switches // count}", "up")
            self.links += [(None, f"port{i + 1}"), (name, "eth0")]
            call("ip", "-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
            call("ip", "-n", name, "link", "set", "eth0", "up")

    def close(self):
        for name in self.names:
            for process in self.processes(name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, 9)
        shutil.rmtree(self.folder)

    def environment(self, **more):
        # The machine is one: without these, messages between the hosts would go through its memory.
        ways = {"TAIHU_SHARED_MEMORY": "off", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}
        agents = {"OMPI_MCA_plm_rsh_agent": self.agent, "HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": self.agent}
        return {**os.environ, **ways, **agents, **more}

    def start(self, words, **more):
        """Starts a command on the first host; its output is one stream."""
        line = " ".join(shlex.quote(str(word)) for word in words)
        return subprocess.Popen([self.agent, self.names[0], line], env=self.environment(**more), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, words, seconds=120, **more):
        """Exit code and output of a command on the first host."""
        process = self.start(words, **more)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return None, output
        return process.returncode, output

    def processes(self, name):
        listed = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
        return [int(word) for word in listed.split()]

    def sent_bytes(self, name):
        path = "/sys/class/net/eth0/statistics/tx_bytes"
        return int(subprocess.run(["ip", "netns", "exec", name, "cat", path], capture_output=True, text=True, check=True).stdout)

    def set_link(self, name, state):
        call("ip", "link", "set", f"port{self.names.index(name) + 1}", state)

    def shape(self, megabits):
        """Lets so much through every link in each direction, by token buckets of the kernel. None, or in words why it cannot."""
        for host, device in self.links:
            inside = ["ip", "netns", "exec", host] if host else []
            done = subprocess.run([*inside, "tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", f"{megabits}mbit",
                                   "burst", "64k", "latency", "400ms"], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"this kernel shapes no links ({done.stderr.strip()})"
        return None
