"""The command line: every command is a function of the package on the same objects."""
