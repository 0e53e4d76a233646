"""Calls drawn from an operator's declaration, and the right values of operators: for tests of your own kernels."""
