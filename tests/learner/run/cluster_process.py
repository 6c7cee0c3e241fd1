"""Runs a cluster until its input ends: `cluster_process.py ADDRESS [--insecure]`; prints what tests ask about."""

import json
import sys

from learner.run.cluster import running_cluster
from learner.run.interrupts import Interrupts

if __name__ == "__main__":
    address, insecure = sys.argv[1], "--insecure" in sys.argv
    with running_cluster(
        address, "gobang-test", dashboard=True, insecure=insecure, interrupts=Interrupts(print)
    ) as cluster:
        known = {"address": cluster.address, "dashboard": cluster.dashboard, "session": str(cluster.session)}
        print(json.dumps({**known, "login": cluster.login}), flush=True)
        sys.stdin.read()
