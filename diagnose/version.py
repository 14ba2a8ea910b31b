"""The version of the distribution, in the one place from which packaging and the tool itself take it."""

VERSION = "0.1.0"
