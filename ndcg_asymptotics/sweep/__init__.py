"""The replicates of a study, spread over cores and machines, continued where they stopped."""
