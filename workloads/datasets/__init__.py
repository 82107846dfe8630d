"""A data set's files: found on this machine, unpacked from a Debian package, or downloaded; always by digest."""
