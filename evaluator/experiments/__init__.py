"""Experiments: trainings and tournaments that answer one question each, from a file of a few lines to a page."""
