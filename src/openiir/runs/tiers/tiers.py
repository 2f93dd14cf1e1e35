"""The three documented tiers, and the reckoning of seconds from tokens."""

import math
from dataclasses import dataclass

from openiir.runs.tiers.machine import GB, Machine


@dataclass(frozen=True)
class Pace:
    """Speed of a model at an endpoint, with the number of calls at once that it takes."""

    prompt: float
    """Prompt tokens a second, of all calls together."""
    reply: float
    """Reply tokens a second of one call alone."""
    width: int
    """Calls at once."""
    wide: float | None = None
    """Reply tokens a second of `width` calls together, if measured."""

    def together(self, at_once: float) -> float:
        """Reply tokens a second of several calls together.

        Unless measured, a token of one call takes the reading of the weights, which all share, and as much
        computing as a token of a prompt, which none shares.
        """
        calls = max(1.0, min(at_once, self.width))
        if self.wide is None:
            return calls / (1 / self.reply + calls / self.prompt)
        share = (calls - 1) / (self.width - 1) if self.width > 1 else 0.0
        return self.reply + share * (self.wide - self.reply)

    def seconds(self, prompt_tokens: float, reply_tokens: float, at_once: float) -> float:
        """Seconds for so many tokens, with `at_once` calls under way at a time where the width allows."""
        return prompt_tokens / self.prompt + reply_tokens / self.together(at_once)


@dataclass(frozen=True)
class Model:
    """An open-weights model as it is served: what it takes of memory."""

    name: str
    parameters: float
    """In billions."""
    weights: float
    """In GB, quantised."""
    layers: int
    heads: int
    """Key-value heads; each has 128 dimensions."""

    @property
    def cache(self) -> int:
        """Bytes of the key-value cache for a token, at 16 bits."""
        return 2 * self.layers * self.heads * 128 * 2


@dataclass(frozen=True)
class Hardware:
    """A published measurement of llama.cpp on a machine of the tier, from which others are scaled."""

    name: str
    parameters: float
    weights: float
    prompt: float
    reply: float
    source: str


@dataclass(frozen=True)
class MachineTier:
    """A tier: memory, and the model, context and width that fit it."""

    name: str
    memory: float
    """GB of the memory that holds the model: of the GPU, or of the machine."""
    beside: str
    """The rest of the machine, in words."""
    model: Model
    context: int
    """Tokens of prompt and reply of one call."""
    width: int
    start: str
    """Command that starts the server."""
    hardware: Hardware

    @property
    def needs(self) -> float:
        """GB of weights, key-value cache of all calls at once, and 1 GB of buffers."""
        return self.model.weights + self.model.cache * self.context * self.width / GB + 1.0

    @property
    def pace(self) -> Pace:
        """Reckon the model's speed from the published one.

        Prompts are bound by computing, which goes by parameters; replies by reading the weights, which goes
        by their size.
        """
        known = self.hardware
        return Pace(
            prompt=known.prompt * known.parameters / self.model.parameters,
            reply=known.reply * known.weights / self.model.weights,
            width=self.width,
        )


TIERS = (
    MachineTier(
        "24 GB GPU",
        24.0,
        "32 GB of memory",
        Model("Qwen3-14B Q4_K_M", 14.8, 9.0, 40, 8),
        8192,
        8,
        "llama-server -hf Qwen/Qwen3-14B-GGUF:Q4_K_M -ngl 99 -c 65536 -np 8 --reasoning-budget 0",
        Hardware(
            "GeForce RTX 3090, Llama 7B Q4_0",
            6.74,
            3.83,
            3408.0,
            121.8,
            "ggml-org/llama.cpp pull request 4766",
        ),
    ),
    MachineTier(
        "8 GB GPU",
        8.0,
        "16 GB of memory",
        Model("Qwen2.5-7B-Instruct Q4_K_M", 7.62, 4.68, 28, 4),
        8192,
        4,
        "llama-server -hf Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M -ngl 99 -c 32768 -np 4",
        Hardware(
            "GeForce RTX 2080, Llama 3.1 8B Q4_K_M",
            8.03,
            4.92,
            1640.0,
            71.9,
            "replies: AlexsJones/llmfit pull request 773; prompts: geerlingguy/ai-benchmarks issue 46, 1,494 "
            "a second with 13.0 billion parameters on an RTX 2080 Ti, times 46 of 68 multiprocessors",
        ),
    ),
    MachineTier(
        "CPU alone",
        16.0,
        "8 cores or more",
        Model("Qwen3-4B-Instruct-2507 Q4_K_M", 4.02, 2.5, 36, 8),
        8192,
        2,
        "llama-server -hf unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M -c 16384 -np 2",
        Hardware(
            "Ryzen 9 7950X, Llama 3.1 8B Q4_0",
            8.03,
            4.66,
            123.5,
            11.25,
            "ikawrakow/ik_llama.cpp pull request 54",
        ),
    ),
)
"""From the fastest to the slowest."""


def tier_of(machine: Machine) -> MachineTier:
    """Return the tier of a machine, by the memory of its GPU; below that of a tier by a tenth it counts."""
    return next((tier for tier in TIERS[:-1] if machine.gpu_memory >= 0.9 * tier.memory), TIERS[-1])


def nearest_tier(pace: Pace) -> MachineTier:
    """Return the tier whose reckoned speed is nearest to a measured one, for a call of 700 + 50 tokens."""
    took = math.log(pace.seconds(700, 50, pace.width))
    return min(TIERS, key=lambda tier: abs(math.log(tier.pace.seconds(700, 50, tier.width)) - took))
