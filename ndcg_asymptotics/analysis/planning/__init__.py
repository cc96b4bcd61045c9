"""Planning of experiments: which measure, how many documents, and how many queries."""
