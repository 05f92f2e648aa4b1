"""Settings from the environment, and what people edit in YAML; the only importers of `yaml`.

What is missing or cannot be used is refused with a `ConfigurationError` that names file, line and remedy; the first
mistake carries the `others`.
"""
