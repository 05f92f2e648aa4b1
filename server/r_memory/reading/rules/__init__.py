"""How the schema's phrasings become candidates: templates, triggers, arguments, and rules on what they found."""
