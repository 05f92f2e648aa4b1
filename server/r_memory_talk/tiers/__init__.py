"""Mimir's tiers: windows of turns become memories, and near-duplicates one."""
