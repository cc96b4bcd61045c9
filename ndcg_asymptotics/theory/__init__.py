"""What is known without drawing anything: limits, the pseudo-expectation, exact means, fluctuations."""
