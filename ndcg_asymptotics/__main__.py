"""`python -m ndcg_asymptotics` is the command line."""

from ndcg_asymptotics.cli import main

main()
