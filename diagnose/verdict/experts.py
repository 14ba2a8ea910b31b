"""Out of GPU memory in a mixture of experts: the sizes that the log prints, and what follows from them.

Tensor parallelism does not divide expert memory; expert parallelism (EP) does: experts per GPU = num_experts / EP.
"""

from __future__ import annotations

from diagnose.events import Facts, whole_number

_CONTEXTS = ("moe-experts-context", "parallel-sizes-context")


def note_on_experts(facts: Facts, category: str) -> list[str]:
    """A sentence with the model's own numbers where it is a mixture of experts that ran out of memory."""
    sizes: dict[str, str] = {}
    for event in facts.events:
        if event.signature.id in _CONTEXTS:
            for name in ("num_experts", "ep", "tp", "pp"):
                sizes.setdefault(name, event.captures.get(name, ""))
                sizes[name] = sizes[name] or event.captures.get(name, "")
    experts = sizes.get("num_experts", "")
    if category != "gpu-memory" or not experts:
        return []
    shape = ", ".join(f"{name.upper()} {sizes[name]}" for name in ("tp", "ep", "pp") if sizes.get(name))
    text = f"the model has {experts} experts" + (f" ({shape})" if shape else "")
    number, ep = whole_number(experts), whole_number(sizes.get("ep") or "1")
    if number is not None and ep:
        text += f": {number / ep:g} experts on each GPU" + ("" if sizes.get("ep") else " if EP is 1")
    return [text + "; TP does not divide the memory of experts, only EP (or expert tensor parallelism) does"]
