"""Pages of people who take part: submissions, uploads, organisations, keys, tokens, and the prose pages."""
