"""Says which action types a request may be: keywords of the table, and a small linear model of its examples."""
