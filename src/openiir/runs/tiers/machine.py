"""Find out what this machine has: cores, memory, GPU."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass

GB = 1e9


@dataclass(frozen=True)
class Machine:
    """What a machine has; memory in GB."""

    cores: int
    memory: float
    gpu: str = ""
    gpu_memory: float = 0.0
    """Of the largest GPU; on an Apple processor the part of the memory that its GPU may take."""

    def __str__(self) -> str:
        gpu = f"{self.gpu} with {self.gpu_memory:.0f} GB" if self.gpu else "no GPU found"
        return f"{self.cores} cores, {self.memory:.0f} GB of memory, {gpu}"


def find_machine() -> Machine:
    """Ask the system, nvidia-smi and rocm-smi what this machine has."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = _memory()
    found = [*_nvidia(), *_amd()]
    if not found and platform.system() == "Darwin" and platform.machine() == "arm64":
        found = [(memory * 0.75, "Apple GPU")]  # the share that macOS gives its GPU by default
    size, name = max(found, default=(0.0, ""))
    return Machine(cores, memory, name, size)


def _memory() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GB
    except (AttributeError, ValueError, OSError):
        return 0.0


def _nvidia() -> list[tuple[float, str]]:
    lines = _ask("nvidia-smi", "--query-gpu=memory.total,name", "--format=csv,noheader,nounits")
    split = [line.split(", ", 1) for line in lines]
    return [
        (float(each[0]) * 2**20 / GB, each[1]) for each in split if len(each) == 2 and each[0].isdecimal()
    ]


def _amd() -> list[tuple[float, str]]:
    """Read lines such as `card0,17163091968,12345` of rocm-smi."""
    split = [line.split(",") for line in _ask("rocm-smi", "--showmeminfo", "vram", "--csv")]
    return [(float(each[1]) / GB, "AMD GPU") for each in split if len(each) > 1 and each[1].isdecimal()]


def _ask(program: str, *arguments: str) -> list[str]:
    """Return the lines that a program prints; none where it is not installed or fails."""
    path = shutil.which(program)
    if path is None:
        return []
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
