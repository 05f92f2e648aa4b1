"""The terminal program: a conversation with a model, and in front of every question what must not be forgotten.

`session` is the conversation without a terminal; `screen` and what it is made of show it; `conversing` are the commands
that show what conversations left (with `signs`, `tiering` and `exporting`), which need no terminal.
"""
