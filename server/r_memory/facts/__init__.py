"""The safety product: what is remembered and recalled about a subject, who decides about it, and whom a call means.

Works without `talk`.
"""
