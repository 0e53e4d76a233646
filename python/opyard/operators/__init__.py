"""Operators of the catalogue whose bodies are written: composites, one module a family."""
