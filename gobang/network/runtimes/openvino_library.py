"""openvino without its telemetry: the one place that imports it.

Importing openvino reports to its makers over the internet unless
the package `openvino_telemetry` is missing.  So it is made to look missing while openvino loads.
"""

from __future__ import annotations

import sys
from typing import Any, Final

_TELEMETRY: Final = "openvino_telemetry"
_modules: dict[str, Any] = sys.modules

_loaded_before = _modules.get(_TELEMETRY)
_modules[_TELEMETRY] = None
try:
    import openvino as ov
    from openvino import opset13 as ops
finally:
    del _modules[_TELEMETRY]
    if _loaded_before is not None:
        _modules[_TELEMETRY] = _loaded_before

__all__ = ["ops", "ov"]
