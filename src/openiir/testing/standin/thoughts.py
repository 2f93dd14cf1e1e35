"""Put the stand-in's reasoning where servers of several makes put it."""

from typing import Any, Literal, get_args

Thinking = Literal["", "before", "beside", "reasoning", "thinking", "parts", "hidden"]
"""Place of the reasoning: `<think>...</think>` before the reply; the fields `reasoning_content` (vLLM,
llama.cpp, DeepSeek), `reasoning` (newer vLLM, Ollama) or `thinking`; a content part (gateways to Anthropic);
or counted and not told (OpenAI)."""
THINKING = get_args(Thinking)
_FIELDS = {"beside": "reasoning_content", "reasoning": "reasoning", "thinking": "thinking"}


def write_message(place: Thinking, text: str, thought: str, cut: bool) -> dict[str, Any]:
    """Write a message with a reply and the reasoning before it, which is unfinished if `cut`."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if place == "before":
        message["content"] = f"<think>{thought}" if cut else f"<think>{thought}</think>\n{text}"
    elif place == "parts":
        parts = [{"type": "thinking", "thinking": thought, "signature": "c3RhbmQtaW4="}]
        message["content"] = parts if cut else [*parts, {"type": "text", "text": text}]
    elif place in _FIELDS:
        message |= {_FIELDS[place]: thought, "content": None if cut else text}
    return message


def reply_limit(body: dict[str, Any]) -> int:
    """Return the most tokens of a reply that a request allows."""
    most = body.get("max_completion_tokens") or body.get("max_tokens")
    return most if isinstance(most, int) else 2**31
