"""The safety path: query → action types → edges → facts → lines → block.

It needs no model and drops no risk by rank.
"""
