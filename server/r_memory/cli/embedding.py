"""`embed`: vectors of the present embedder for every item of the conversational memory."""

from r_memory.cli.answers import Answer
from r_memory.cli.printing import counted, progress
from r_memory.cli.running import on_memory
from r_memory.memory import Memory


@on_memory(in_bulk=True)
async def embed(memory: Memory) -> Answer:
    """Gives every item of the conversational memory a vector of the present embedder.

    To be run after the embedder was changed, or did not answer for a while. Items are found by their words meanwhile.
    May be stopped and run again: what has its vector keeps it.
    """
    stream = memory.talk.stream
    with progress("embedding", await stream.unmeant()) as step:
        given = await stream.embed_again(step)
    left, model = await stream.unmeant(), stream.model
    rest = f"; {counted(left, 'item')} could not be embedded" if left else ""
    nothing = "There is no embedder (R_MEMORY_EMBEDDER=none): items are found by their words."
    return Answer(
        data={"embedded": given, "left": left, "model": model},
        shown=[f"Embedded by {model}: {counted(given, 'item')}{rest}." if model else nothing],
    )
