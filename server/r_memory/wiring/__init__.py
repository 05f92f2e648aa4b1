"""The one place that knows every concrete class: settings in, a whole memory out. Nothing else chooses an adapter."""

from r_memory.wiring.opening import (
    SystemClock,
    endpoint_of,
    open_embedder,
    open_memory,
    open_model,
    open_store,
    stream_loading,
)

__all__ = ["SystemClock", "endpoint_of", "open_embedder", "open_memory", "open_model", "open_store", "stream_loading"]
