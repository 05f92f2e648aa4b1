"""The page: what is remembered, what waits for a person, what was shown; for people, in a browser.

A thin door over `Memory`: it reads, shows, and takes decisions; it knows no rule of its own.
"""
