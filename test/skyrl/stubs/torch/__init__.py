"""Stands in for torch: SkyRL imports it at module level, and its JAX backend for text never uses it."""


class Tensor:
    """Named in annotations only."""


class dtype:
    """Named in annotations only."""


def __getattr__(name: str):
    # Libraries that look for torch must not take this for the real one.
    raise AttributeError(f"torch.{name} is not here: this is a stand-in for imports only")
