"""The grammar and the base class of everything that is written as a text, such as ``nDCG(zipf)@10``."""
