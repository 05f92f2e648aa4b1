"""The safety path: query → action types → edges → facts → lines → block; needs no model, ranks no risk away."""
