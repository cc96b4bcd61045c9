from .page import report as report
