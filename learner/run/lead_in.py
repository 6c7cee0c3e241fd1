"""The lead-in of a run: another run before it, of a game that is learned faster, such as five in a row on 8x8.

It lies in a folder of its own within the run's, and has a share of the run's budget.  The run begins with its newest
weights, which play any board.  Broken off in it, the run goes on there with `--resume`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gobang.errors import InvalidConfig
from gobang.network.architectures.architecture import fit
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.settings import assign, parse_yaml, write_yaml
from learner.run.config import LeadInConfig, RunConfig, read_config
from learner.run.options import CommandLine

_FINISHED: Final = "finished"  # state of a run


class LeadIn:
    """What comes before a run in `folder` with these settings."""

    def __init__(self, config: RunConfig, folder: RunFolder) -> None:
        self._config, self._parent = config, folder
        self.folder = RunFolder(folder.lead_in)

    @property
    def is_due(self) -> bool:
        """Whether the run has not begun, and is to begin with what is learned here."""
        config = self._config
        return bool(config.lead_in.settings and not config.learner.begin_with and not weights_versions(self._parent))

    @property
    def is_finished(self) -> bool:
        """Whether it has had its share."""
        return bool(self.folder.read_summary().get("state") == _FINISHED)

    @property
    def values(self) -> Mapping[str, float]:
        """What it has counted, by which the run's own budget is less; nothing where there was none."""
        values: Mapping[str, float] = self.folder.read_summary().get("values", {})
        return values

    def config(self) -> RunConfig:
        """Its settings: those of the run, but for what the run says of it."""
        values = parse_yaml(write_yaml(replace(self._config, lead_in=LeadInConfig())), "the run's settings")
        for setting in self._config.lead_in.settings:
            assign(values, setting)
        config = read_config(values)
        if fit(config.network, config.game) != fit(self._config.network, self._config.game):
            raise InvalidConfig(
                f"lead_in: its network for {config.game} cannot play {self._config.game}, as one with dense heads; "
                "lead_in.settings=[] leaves it out"
            )
        return config

    def options(self, options: CommandLine) -> CommandLine:
        """The command line of it."""
        lead_in = self._config.lead_in
        budget = options.budget.part(lead_in.share, lead_in.minutes)
        return replace(options, run=self.folder.root, resume=self.folder.config.exists(), budget=budget)

    def weights(self) -> str:
        """The file that the run begins with."""
        return str(weights_path(self.folder, weights_versions(self.folder)[-1]))
