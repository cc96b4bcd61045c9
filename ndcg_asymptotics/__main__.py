"""`python -m ndcg_asymptotics` is the command line."""

from ndcg_asymptotics.cli.app import main

main()
