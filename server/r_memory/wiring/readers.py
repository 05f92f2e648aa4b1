"""What reads words offline in one domain: rules, taught reader, classifier, each made when it is first asked for.

Loading this module takes a tenth of a command that reads nothing, so `wiring.language` loads it late.
"""

from functools import cached_property
from pathlib import Path

from r_memory.config.loading import Loaded
from r_memory.config.settings import Settings
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.linear import obtain
from r_memory.reading.actions.names import Names
from r_memory.reading.actions.training import trained
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.local import LocalReader
from r_memory.reading.opinion import RuleOpinion
from r_memory.reading.taught.reader import TaughtReader, load_readers
from r_memory.reading.taught.weights import LABELS, SHIPPED, Absent, find_weights, read_labels, whole_words
from r_memory.reading.validation import Validator


class Readers:
    """The parts of a `Reader`, which share linker and rules."""

    def __init__(self, settings: Settings, domain: Loaded) -> None:
        self._settings = settings
        self._schema = domain.schema
        self._table = domain.intents

    @cached_property
    def linker(self) -> Gazetteer:
        """Finds terms of the lexicon."""
        return Gazetteer(self._schema.lexicon)

    @cached_property
    def rules(self) -> RuleExtractor:
        """The closed rules."""
        return RuleExtractor(self._schema, self.linker)

    @cached_property
    def extractor(self) -> LocalReader:
        """The rules, and the taught reader beside them where there is one."""
        taught = taught_reader(self._schema.name, own_weights(self._settings, self._schema.name))
        if isinstance(taught, Absent):
            return LocalReader(self.rules, self._schema, self.linker, None, alone=taught.reason)
        return LocalReader(self.rules, self._schema, self.linker, taught)

    @cached_property
    def validator(self) -> Validator:
        """Holds claims against the words that they quote."""
        return Validator(self._schema, self.linker, RuleOpinion(self.rules, self._schema))

    @cached_property
    def classifier(self) -> KeywordsAndLinear:
        """Says what a request asks for; learns from the table, once for each version of it."""
        learnt = obtain(
            self._settings.cache_dir,
            self._table,
            self._schema,
            lambda: trained(self._table, self._schema, self.linker),
        )
        return KeywordsAndLinear(self._table, self._schema, learnt)

    @cached_property
    def names(self) -> Names:
        """Reads what requests and drafts name."""
        return Names(self._table, self._schema, self.linker, whole_words)


def own_weights(settings: Settings, domain: str) -> Path:
    """The folder of weights below the home, if these are for the domain; else the package's own."""
    home = settings.files.home
    own = SHIPPED if home is None else home / "weights"
    if own != SHIPPED and (own / LABELS).is_file() and domain in read_labels(own / LABELS).domains:
        return own
    return SHIPPED


def taught_reader(domain: str, folder: Path = SHIPPED) -> TaughtReader | Absent:
    """The taught reader of a domain, loaded when it first reads, or why there is none.

    Raises:
        ConfigurationError: there are weights, and their files do not belong together.
    """
    weights = find_weights(folder)
    if isinstance(weights, Absent):
        return weights
    if domain not in weights.labels.domains:
        return Absent(reason=f"none is taught for schema '{domain}'")
    return load_readers(weights)[domain]
