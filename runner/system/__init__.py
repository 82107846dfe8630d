"""The system description: what a run set ran on, collected by itself, with nothing personal in it."""
