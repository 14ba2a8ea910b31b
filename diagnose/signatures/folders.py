"""Where rules come from, each folder laid over the ones before: shipped, site, user, environment, command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

ENVIRONMENT = "SLURM_DOCTOR_RULES"
"""Folders separated like those of PATH."""


def shipped_rules() -> Path:
    """The folder of the rules that come with the tool, in a checkout or in an installed wheel."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "shipped_rules"
    return installed if installed.is_dir() else package.parent / "rules"


def rule_folders(extra: Sequence[Path] = ()) -> list[Path]:
    """All folders that exist, in the order in which they are laid over each other."""
    from platformdirs import site_config_path, user_config_path

    own = [site_config_path("slurm-doctor") / "rules", user_config_path("slurm-doctor") / "rules"]
    named = [Path(part) for part in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if part]
    return [
        shipped_rules(),
        *(folder for folder in [*own, *named] if os.path.isdir(folder)),
        *(folder.resolve() for folder in extra),
    ]


def missing_folders() -> list[str]:
    """Folders that the environment names and that are not there."""
    named = [part for part in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if part]
    return [folder for folder in named if not os.path.isdir(folder)]


def rule_file_ids(extra: Sequence[Path] = ()) -> list[str]:
    """The ids that the names of the rule files say, sorted; their content is not read."""
    return sorted(
        {
            path.stem
            for folder in rule_folders(extra)
            for path in folder.rglob("*.yaml")
            if "tables" not in path.relative_to(folder).parts[:-1]
        }
    )
