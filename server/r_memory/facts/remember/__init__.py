"""The write path: an utterance becomes an episode, then events and state (design, section 7)."""
