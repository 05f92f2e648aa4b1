"""What a person decides about facts, requests, and words that wait."""
