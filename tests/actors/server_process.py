"""An inference server as a process of its own: `server_process.py ADDRESS_FILE VERSION`, until it is killed."""

import secrets
import signal
import sys
from pathlib import Path

from actors.address import AddressFile
from actors.inference import InferenceServer, ServerConfig

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.actors.conftest import KEY, VARIANT, Shelf, marked

if __name__ == "__main__":
    address = f"unix:/tmp/gobang-{secrets.token_hex(6)}.sock"
    config = ServerConfig(variant=VARIANT, listen=(address,), key=KEY)
    server = InferenceServer(config, Shelf({"latest": int(sys.argv[2])}), marked)
    AddressFile(path=Path(sys.argv[1])).publish(server.addresses[0])
    print("ready", flush=True)
    signal.pause()
