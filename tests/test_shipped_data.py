"""The data files of the package are those that were committed: a damaged copy would change results."""

from hashlib import sha256
from pathlib import Path

import pytest

import tumble

ROOT = Path(tumble.__file__).parent
DIGESTS = {
    "comphy/data/checkpoints/cpl-dpi.pt": "828096d12f991550fc5e82a5ba8e2ed113c7e0536e8c032e4f22cd57f081cdb2",
    "comphy/data/checkpoints/cpl.pt": "91fbb919b5c54535abe1c34ab2321301808f663a900451495173a8a0a47c51cb",
    "comphy/data/checkpoints/parser-div.pt": "6f4dd72beefd21cd75a87a8889bd9129de3839647a82f69722e26b1e8863e760",
    "comphy/data/checkpoints/parser.pt": "ed4978dc08acbcd7419238e0d43f63822c2eb0c2b065c581e479fdc1076eae97",
    "comphy/data/checkpoints/pcr-div.pt": "4d76e989fc8ba5f94af4b2f71ca7172e697581c2ac74d98ee0051a396e5348a4",
    "comphy/data/checkpoints/pcr.pt": "72ff21a47874ed4db91bd0d43fc9c91561ee55e3c5ed724a860d947514cd3933",
    "comphy/data/checkpoints/perceiver-div.pt": "c25899facf696374df75e7550dff015f94307f4e7a5aeb379c0681529735eb65",
    "comphy/data/checkpoints/perceiver.pt": "57b769fd3af4ae9da2744be75e6d856f6e251ee8984ce88be4e5c7846b8ba873",
    "phyq/data/accepted_draws.txt": "f252e9e80a0a957640e485988884782d2a031be8adbf74eb0b3582ee60c0baae",
    "phyq/data/checkpoints/shot-ranker.pt": "be430cce6440550889589fde35321155a9b012b84f07891e599b65d00b4339e7",
    "phyq/data/solutions.txt": "caf1ee3fe5841b060baae8c890722aa8f791eb055cc65ff2062a5f76930564df",
    "phyre/data/checkpoints/dqn-ball_cross_template-0.pt": (
        "75a5aa7e8c2961861778ae25b1c300e1640f3d14487c996de27fb335662a52c8"
    ),
    "phyre/data/checkpoints/dqn-ball_within_template-0.pt": (
        "8b5cf2b90a8842f4961d1900ffc843e16dc80b3c0219c8104ba6a0147da26cd8"
    ),
    "phyre/data/checkpoints/dqn-two_balls_cross_template-0.pt": (
        "5c45991bdc29e4ba8b67f61472cb0d6c0d10e69ba1adf9351d5a6fe1a9968da1"
    ),
    "phyre/data/checkpoints/dqn-two_balls_within_template-0.pt": (
        "a840a96d88b1679c0886a51f3a9b9e070246b0c207bbb2e831a394b970bb1752"
    ),
    "phyre/data/dqn_solved_at.txt": "b0045e9b7526c38f2d43f021e132d1dab316a491ea28fc2757355ea7230b55e8",
    "phyre/data/grid_ceilings.txt": "a48f77d9dc45c27377ef1a63c8ea322f78299671599df916ec95624e7e006438",
    "phyre/data/published_tasks.txt": "0a308b52c1e010cbc31c6281ab0c1ef0b9c0a5eeafe3fbee85837ce7e9bc98b7",
    "phyre/data/solutions.txt": "2c2339af5898e2e84a2c73f77cf8f2eeca5cc26c9118b88b7bc1557c19eda391",
    "phyre/data/sweeps/2B.solved": "74828c95a83853084b334d8280be352732c7b4f7b75d8b4cfa5c034a6e76b651",
    "phyre/data/sweeps/B.solved": "3e6b0678f2f78ce8c690996c96eccdcf9f0230f56951f8c15c8a1de6e577c6c0",
    "phyre/data/sweeps/2B/actions.npy": "415a9e45908a4751f54bc994fec9c09ad8cecaa6340b767ac5dd2e8b2c4ba419",
    "phyre/data/sweeps/2B/shard-00000.bin": "98278789c784d7b61d6865e2ae0c9b5f87b6035c2f372554e9588edc0b95e8de",
    "phyre/data/sweeps/2B/store.json": "f8a95c8538f2e11dc8c5329e6741acb6dd53125151d69bb0f32ce3468b9b4156",
    "phyre/data/sweeps/B/actions.npy": "e003fa03ff6f6ffc1d0aec7ce7e84f7bbcf445d58eb9f1cf397313b4535da160",
    "phyre/data/sweeps/B/shard-00000.bin": "d81a8de3f02ecd75e60ae187f4d69a5eeb3892a68fa6df0e446d052fe2716253",
    "phyre/data/sweeps/B/store.json": "2752ef5a2adcbabebf269ed02596ec60ad59f76704bb991a6163c07a4cde542a",
    "phyre/data/training/2B-carried.npz": "56917fbe31660c008a6c6ee4a3032459c78427189a3398c0015af81e9a8d91bc",
    "phyre/data/training/2B-dense.npz": "4d01a5358b9a3204f5c0fe0ef4915cf4347ebd45c5cec8862c7825aa9e71d945",
    "phyre/data/training/2B.npz": "3b436b8947b1d86bcc200d12748556c89d091e2fe645831f21c132af99669362",
    "phyre/data/training/B-carried.npz": "5ed4702d1c574a0ec7a4475f7674024a32dafeeb8c6a5909a38786df4cc35c60",
    "phyre/data/training/B-tasks.npz": "b090946527a12d713ba1512aacbaf1c1364ff4e83d156568a2c989d803674c1e",
    "phyre/data/training/B.npz": "46efac6e6552cba71875dc85aba21a8e2b66fa8e62a9d4ff4160eff065ae07f3",
}
"""SHA-256 of every file; a deliberate change of a file changes its line here."""


@pytest.mark.parametrize("name", DIGESTS)
def test_a_data_file_is_undamaged(name: str) -> None:
    assert sha256((ROOT / name).read_bytes()).hexdigest() == DIGESTS[name]


def test_all_data_files_have_a_digest() -> None:
    files = [path for folder in ("phyre", "phyq", "comphy") for path in (ROOT / folder / "data").rglob("*")]
    assert {path.relative_to(ROOT).as_posix() for path in files if path.is_file()} == set(DIGESTS)
