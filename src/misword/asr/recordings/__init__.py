"""Recordings whose references and hypotheses were divided differently."""
