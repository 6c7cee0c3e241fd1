import subprocess
import sys

CODE = """
import sys
import actors.factories, actors.standins
print(sorted({"torch", "ray", "redis", "openvino", "learner", "evaluator"} & set(sys.modules)))
"""


def test_self_play_imports_neither_torch_nor_ray():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
