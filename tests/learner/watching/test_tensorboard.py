from learner.watching.tensorboard import TensorboardFile, masked_crc

# Written by TensorBoard's own event writer.
EXPECTED = bytes.fromhex(
    "1800000000000000a37f4b22090000000065cdcd411a0d627261696e2e4576656e743a32f4eb195e2700000000000000bbe1"
    "b146090000800065cdcd4110ac022a190a0b0a046c6f7373150000c03f0a0a0a03656c6f15000040c0e2306384"
)


def test_the_checksum_is_that_of_the_standard():
    crc = (masked_crc(b"123456789") - 0xA282EAD8) & 0xFFFFFFFF
    assert (crc << 15 | crc >> 17) & 0xFFFFFFFF == 0xE3069283


def test_a_file_is_what_tensorboard_writes_itself(tmp_path):
    file = TensorboardFile(tmp_path / "new", 1e9)
    file.write(1e9 + 1, 300, {"loss": 1.5, "elo": -3})
    (path,) = (tmp_path / "new").iterdir()
    assert path.name.startswith("events.out.tfevents.1000000000.")
    assert path.read_bytes() == EXPECTED
