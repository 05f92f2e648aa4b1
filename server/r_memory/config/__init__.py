"""Settings from the environment, and what people edit in YAML; the only importers of `yaml`."""
