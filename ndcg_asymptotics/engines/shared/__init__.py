"""What more than one engine needs: label counts, grades as probabilities, depths by inversion."""
