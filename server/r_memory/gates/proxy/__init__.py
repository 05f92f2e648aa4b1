"""The proxy: an OpenAI-compatible endpoint in front of another, with both gates in between."""
