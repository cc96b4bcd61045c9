"""How surely a measure tells the scorers of a pair apart: orders seen, and orders too rare to be seen."""
