"""Uploads, submissions, their states and their verification reports."""
