"""Networks made ready to run: torch on CPU or GPU, openvino on the CPU."""
