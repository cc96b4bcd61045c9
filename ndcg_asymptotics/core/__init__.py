"""Arrays, errors, files, text, tables and progress: everything that is not about NDCG."""
