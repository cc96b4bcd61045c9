"""Tests, intervals, corrections and power on plain arrays."""
