"""One name for each host: where a log prints ``gpu7`` and ``gpu7.cluster.org``, both are ``gpu7``.

srun prints the node's short name, torchelastic what the host calls itself. Without this they would be two nodes.
"""

from __future__ import annotations

from dataclasses import replace

from diagnose.events.facts import Facts


def unify_hosts(facts: Facts) -> None:
    """Put the short name wherever a long one of the same host stands, if the log prints the short one somewhere."""
    printed = {line.label.host for line in facts.text.lines if line.label.host}
    printed |= {node for death in facts.deaths for node in death.nodes}
    printed |= {event.captures["node"] for event in facts.events if "node" in event.captures}
    printed |= {mark.captures["node"] for mark in facts.marks if "node" in mark.captures}
    short = {name: head for name in printed if (head := name.partition(".")[0]) != name and head in printed}
    if not short:
        return
    for line in facts.text.lines:
        if line.label.host in short:
            line.label = replace(line.label, host=short[line.label.host])
    for captures in [*(event.captures for event in facts.events), *(mark.captures for mark in facts.marks)]:
        if captures.get("node") in short:
            captures["node"] = short[captures["node"]]
    for death in facts.deaths:
        death.nodes = tuple(short.get(node, node) for node in death.nodes)
        death.node = short.get(death.node, death.node) if death.node else None
