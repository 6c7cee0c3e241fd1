"""An inference server as a process of its own: `server_process.py ADDRESS VERSION`, until it is killed."""

import signal
import sys
from pathlib import Path

from actors.server.inference import InferenceServer, ServerConfig

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.actors.conftest import KEY, VARIANT, Shelf, marked

if __name__ == "__main__":
    config = ServerConfig(variant=VARIANT, listen=(sys.argv[1],), key=KEY)
    server = InferenceServer(config, Shelf({"latest": int(sys.argv[2])}), marked)
    print("ready", flush=True)
    signal.pause()
