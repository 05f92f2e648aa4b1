"""Quality on data: the suites of `r-memory eval`, each named after the folder of data that it reads."""
