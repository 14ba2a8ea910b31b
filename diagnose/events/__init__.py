"""Hits and the windows around them in, events out: who, when and what, for every line that says something."""
