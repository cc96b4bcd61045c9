"""One grammar for everything that has a text: on the command line, in files, in results and in legends."""
