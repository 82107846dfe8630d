"""What the public sees: boards, results, organisations and their figures."""
