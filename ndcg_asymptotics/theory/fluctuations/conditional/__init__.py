"""DCG given the label counts of its list: where its items lie, the mean, the variance."""
