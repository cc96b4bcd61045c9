"""What knows nothing of NDCG: arrays, errors, files, text, tables, progress."""
