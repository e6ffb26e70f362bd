"""Tests of the notebook build."""
