"""Code shared by several engines: label counts, grades as probabilities, depths by inversion."""
