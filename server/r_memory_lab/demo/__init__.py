"""The demo: a made-up practice, an intake that must not be forgotten, and the server that is killed in between."""
