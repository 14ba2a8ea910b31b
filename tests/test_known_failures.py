"""The failures of multi-node Slurm jobs that must be right: each with its cause and the words of its fix."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose import Diagnosis

HEAD = 'Traceback (most recent call last):\n  File "train.py", line 9, in main\n'

KNOWN = [
    ("RuntimeError: [1] is setting up NCCL communicator and retreiving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout\n",
     "collective-timeout", ["save_artifacts", "hf_pretrained/base.py", "timedelta(minutes=60)", "sinfo"]),
    (HEAD + "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n",
     "port-conflict", ["--ntasks-per-node=1", "MASTER_PORT", "ss -ltnp"]),
    (HEAD + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. GPU 3 has a total capacity of 79.10 GiB\n",
     "gpu-memory", ["expandable_segments", "batch"]),
    (HEAD + "ModuleNotFoundError: No module named 'megatron.core.tensor_parallel'\n",
     "python-import", ["uv sync", "3rdparty/Megatron-LM", "--no-deps"]),
    (HEAD + "ModuleNotFoundError: No module named 'megatron.core.activations'\n",
     "python-import", ["uv sync", "3rdparty/Megatron-LM"]),
    ('Traceback (most recent call last):\n  File "/opt/Megatron-LM/pretrain_gpt.py", line 9, in <module>\n' + "ModuleNotFoundError: No module named 'megatron'\n",
     "python-import", ["PYTHONPATH", "3rdparty/Megatron-LM"]),
    (HEAD + "TypeError: 'NoneType' object is not an iterator\n", "data", ["NEMO_HOME"]),
    (HEAD + "ValueError: Weight mismatch detected\n", "checkpoint", ["FP8", "atol"]),
    ("This script must be launched with torchrun\n", "launch-env", ["SLURM_NTASKS", "SLURM_PROCID"]),
    (HEAD + "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set\n",
     "launch-env", ["SLURM_PROCID"]),
    ("salloc: error: Job submit/allocate failed: Cannot find GPU specification\n", "scheduler", ["--gpus-per-node"]),
    ("sbatch: error: Batch job submission failed: Invalid partition name specified\n", "scheduler", ["sinfo --summarize"]),
    ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified\n",
     "scheduler", ["sacctmgr -nP show assoc"]),
    ("srun: error: Unable to create step for job 12: Requested node configuration is not available\n", "scheduler", ["-w"]),
    ("bash: line 1: uv: command not found\nsrun: error: node1: task 0: Exited with exit code 127\n", "command", ["uv"]),
    ("bash: Zeile 1: uv: Befehl nicht gefunden.\nsrun: error: node1: task 0: Exited with exit code 127\n", "command", ["uv"]),
    ("error: Failed to write to the client cache: No space left on device (os error 28) at path /root/.cache/uv/x\n",
     "storage", ["UV_CACHE_DIR"]),
    ("sbatch: unrecognized option '--no-container-mount-home'\nTry \"sbatch --help\" for more information\n",
     "scheduler", ["srun"]),
    ("srun: error: node2: task 3: Killed\n", "external-kill", ["dmesg", "--mem"]),
    ("srun: error: node2: task 3: Aborted\n", "native-crash", ["core"]),
    ("srun: error: node2: task 3: Segmentation fault\n", "native-crash", ["core", "faulthandler"]),
    ("srun: error: node2: task 3: Bus error\n", "native-crash", ["/dev/shm"]),
    ("srun: error: node2: task 3: Exited with exit code 126\n", "command", ["execut"]),
    ("srun: error: node2: task 3: Exited with exit code 127\n", "command", ["PATH"]),
]  # fmt: skip


@pytest.mark.parametrize(("log", "category", "words"), KNOWN)
def test_each_is_named_with_its_fix(
    diagnose_text: Callable[[str], Diagnosis], log: str, category: str, words: list[str]
) -> None:
    found = diagnose_text(log)
    assert found.category == category, found.title
    text = " ".join([found.title, found.why, *(f"{step.do} {step.run or ''}" for step in found.fix)])
    missing = [word for word in words if word not in text]
    assert not missing, f"{found.signature} does not say {missing}: {text}"


@pytest.mark.parametrize(
    "noise",
    [
        "UserWarning: Error in the plot of OOM rates; FAILED to find a font\n  warnings.warn(",
        "/opt/transformer_engine/pytorch/utils.py:12: UserWarning: FAILED to load, falling back: Error\n",
        "UserWarning: expandable_segments not supported on this platform (Triggered internally at AllocatorConfig.h:28.)\n",
        "+ srun --ntasks=8 bash -c 'grep Error log || echo FAILED'\n",
    ],
)
def test_noise_is_no_failure(diagnose_text: Callable[[str], Diagnosis], noise: str) -> None:
    assert diagnose_text("working\n" + noise + "\ndone\n").verdict == "ok"


def test_an_import_error_inside_transformer_engine_stays_visible(diagnose_text: Callable[[str], Diagnosis]) -> None:
    log = 'Traceback (most recent call last):\n  File "/opt/transformer_engine/pytorch/__init__.py", line 3, in <module>\n'
    found = diagnose_text(log + "ImportError: /opt/transformer_engine/te.so: undefined symbol: _ZN3c105ErrorC2E\n")
    assert found.category == "python-import"
