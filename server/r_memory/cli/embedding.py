"""`embed`: vectors of the present embedder for every item of the conversational memory."""

from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import counted, print_json, print_line, progress
from r_memory.cli.running import with_memory
from r_memory.memory import Memory


def embed(home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Gives every item of the conversational memory a vector of the present embedder.

    To be run after the embedder was changed, or did not answer for a while. Items are found by their words meanwhile.
    May be stopped and run again: what has its vector keeps it.
    """
    given, left, model = with_memory(settings_of(home, space), _embedded, in_bulk=True)
    if as_json:
        print_json({"embedded": given, "left": left, "model": model})
    elif not model:
        print_line("There is no embedder (R_MEMORY_EMBEDDER=none): items are found by their words.")
    else:
        rest = f"; {counted(left, 'item')} could not be embedded" if left else ""
        print_line(f"Embedded by {model}: {counted(given, 'item')}{rest}.")


async def _embedded(memory: Memory) -> tuple[int, int, str]:
    stream = memory.talk.stream
    waiting = await stream.unmeant()

    with progress("embedding", waiting) as step:

        def done(number: int) -> None:
            for _ in range(number):
                step()

        given = await stream.embed_again(done)
    return given, await stream.unmeant(), stream.model
