"""Teaches the reader: corpus, lint, training, calibration, figures and export; needs torch, which the product does not.

python -m r_memory_lab.teaching --corpus corpus --out DIR --seeds 3
"""
