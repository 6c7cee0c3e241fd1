"""The options of each architecture: what a spec may say of it, known without any framework.

The bounds are far above what anybody trains, and low enough that a foreign file of weights whose description goes to
them takes no machine's memory: a network is built without its weights before these are compared with the file's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gobang.errors import InvalidConfig
from gobang.options import Options, option

MOST_LAYERS: Final = 256
MOST_FILTERS: Final = 4096
MOST_UNITS: Final = 65_536


@dataclass(frozen=True, kw_only=True, slots=True)
class GobangNetOptions(Options):
    """Depth, and width of the trunk and of the heads."""

    blocks: int = option(4, "residual blocks", minimum=0, maximum=MOST_LAYERS)
    filters: int = option(64, "of the trunk's convolutions", minimum=1, maximum=MOST_FILTERS)
    head_filters: int = option(32, "of the heads' convolutions", minimum=1, maximum=MOST_FILTERS)
    value_units: int = option(64, "of the value's hidden layer", minimum=1, maximum=MOST_UNITS)


@dataclass(frozen=True, kw_only=True, slots=True)
class DenseHeadOptions(Options):
    """Widths of the heads that play one board only."""

    policy_filters: int = option(4, "of the policy's convolution", minimum=1, maximum=MOST_FILTERS)
    value_filters: int = option(2, "of the value's convolution", minimum=1, maximum=MOST_FILTERS)
    value_units: int = option(64, "of the value's hidden layer", minimum=1, maximum=MOST_UNITS)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResnetOptions(DenseHeadOptions):
    """Depth and width; the heads are those of AlphaGo Zero."""

    blocks: int = option(2, "residual blocks", minimum=0, maximum=MOST_LAYERS)
    filters: int = option(256, "of the trunk's convolutions", minimum=1, maximum=MOST_FILTERS)
    policy_filters: int = option(2, "of the policy's convolution", minimum=1, maximum=MOST_FILTERS)
    value_filters: int = option(1, "of the value's convolution", minimum=1, maximum=MOST_FILTERS)
    value_units: int = option(256, "of the value's hidden layer", minimum=1, maximum=MOST_UNITS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resnet18Options(DenseHeadOptions):
    """Width of the first of the four stages; each further stage is twice as wide."""

    filters: int = option(64, "of the first stage", minimum=1, maximum=MOST_FILTERS)
    policy_filters: int = option(2, "of the policy's convolution", minimum=1, maximum=MOST_FILTERS)
    value_filters: int = option(1, "of the value's convolution", minimum=1, maximum=MOST_FILTERS)
    value_units: int = option(256, "of the value's hidden layer", minimum=1, maximum=MOST_UNITS)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConvolutionalOptions(DenseHeadOptions):
    """Widths F, 2F, 4F of three layers, and the residual blocks of 4F that may follow."""

    filters: int = option(32, "F", minimum=2, maximum=MOST_FILTERS)
    residual_blocks: int = option(0, "of 4F filters, behind the layers", minimum=0, maximum=MOST_LAYERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conv3ShortcutOptions(DenseHeadOptions):
    """Width of all three layers."""

    filters: int = option(32, "of every layer", minimum=1, maximum=MOST_FILTERS)
    policy_filters: int = option(2, "of the policy's convolution", minimum=1, maximum=MOST_FILTERS)
    value_filters: int = option(1, "of the value's convolution", minimum=1, maximum=MOST_FILTERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class MlpOptions(Options):
    """Number and width of the hidden layers."""

    layers: int = option(2, "hidden layers", minimum=1, maximum=MOST_LAYERS)
    units: int = option(256, "of each hidden layer", minimum=1, maximum=MOST_UNITS)


@dataclass(frozen=True, kw_only=True, slots=True)
class CnnTransformerOptions(DenseHeadOptions):
    """Widths F, 2F, 4F of the convolutions; the transformer blocks stand at 2F, before the third."""

    filters: int = option(32, "F", minimum=1, maximum=MOST_FILTERS)
    blocks: int = option(1, "transformer blocks", minimum=1, maximum=MOST_LAYERS)
    heads: int = option(2, "of the attention; they divide 2F", minimum=1, maximum=256)

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if 2 * self.filters % self.heads:
            raise InvalidConfig(f"heads {self.heads}: must divide the width {2 * self.filters}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One stage of a cascade, e.g. `Stage(widening=2, heads=2, mlp_ratio=2, reduction=2)`."""

    widening: int  # channels for each of F
    heads: int  # of the attention
    mlp_ratio: int  # hidden units of the MLP for each channel
    reduction: int  # of the board that keys and values are read from


STAGES: Final = (
    Stage(widening=1, heads=2, mlp_ratio=2, reduction=4),
    Stage(widening=2, heads=2, mlp_ratio=2, reduction=2),
    Stage(widening=4, heads=2, mlp_ratio=1, reduction=1),
    Stage(widening=4, heads=1, mlp_ratio=1, reduction=1),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CascadedAttentionOptions(DenseHeadOptions):
    """Number of stages, of F, 2F, 4F and 4F channels."""

    stages: int = option(3, "each on a coarser board than the one before", minimum=1, maximum=4)
    filters: int = option(32, "F, an even number", minimum=2, maximum=MOST_FILTERS)

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.filters % 2:
            raise InvalidConfig(f"filters {self.filters}: an even number, since the attention has two heads")


@dataclass(frozen=True, kw_only=True, slots=True)
class LineNetOptions(Options):
    """Width of the table of line shapes, and of the value's hidden layer."""

    filters: int = option(64, "numbers for each shape of a line", minimum=1, maximum=1024)
    value_units: int = option(64, "of the value's hidden layer", minimum=1, maximum=MOST_UNITS)
