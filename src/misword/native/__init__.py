"""Compiled kernels: C sources, their header `kernels.h`, and the module that loads them."""
