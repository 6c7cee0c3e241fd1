"""Runs a cluster until its input ends: `cluster_process.py ADDRESS`; prints what a test has to know of it."""

import json
import sys

from learner.run.cluster import running_cluster
from learner.run.interrupts import Interrupts

if __name__ == "__main__":
    with running_cluster(sys.argv[1], "gobang-test", dashboard=True, interrupts=Interrupts(print)) as cluster:
        known = {"address": cluster.address, "dashboard": cluster.dashboard, "session": str(cluster.session)}
        print(json.dumps({**known, "login": cluster.login}), flush=True)
        sys.stdin.read()
