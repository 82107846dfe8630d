"""Published results, their versions, marks and ranks."""
