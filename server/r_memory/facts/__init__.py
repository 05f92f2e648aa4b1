"""The safety product: what is remembered and recalled about subjects, who decides about it, and which subject a call
means.

It works without `talk`.
"""
