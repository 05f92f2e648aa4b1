"""A whole conversation around the facts: what stands in front of a question, and what an answered turn leaves."""
