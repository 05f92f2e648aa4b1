"""Loads what words mean: `schema/lexicon/<name>.yaml` (a domain's terms) and `schema/language/<name>.yaml`.

Both are open forms: a lexicon names its types, a language its sections.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from r_memory.config.files import Files

from r_memory.config.yaml_lines import Document, Step, Yaml, first_of, load
from r_memory.domain.schema import Language, Lexicon
from r_memory.errors import ConfigurationError
