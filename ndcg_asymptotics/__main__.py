"""`python -m ndcg_asymptotics` is the command line."""

from ndcg_asymptotics.cli.main import main

main()
