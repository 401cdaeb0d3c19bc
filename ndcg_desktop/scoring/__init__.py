"""Gain, discount, DCG, ideal, nDCG and bounds: arrays in, arrays out. NumPy only."""
