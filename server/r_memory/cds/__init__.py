"""CDS Hooks 2.0: what was told stands in the clinician's own system, at the moment of opening a chart or ordering."""
