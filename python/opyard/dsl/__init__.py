"""Compilers of the languages embedded in Python: each module turns a program into machine code ahead, without a GPU."""
