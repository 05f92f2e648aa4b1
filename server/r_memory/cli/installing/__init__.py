"""`install`: this server written into the configuration of a client, with everything else in it kept as it is."""
