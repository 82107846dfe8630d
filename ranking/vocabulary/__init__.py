"""Vocabulary: one canonical name for each accelerator and CPU, whatever a submitter's machine calls it."""
