"""C(R), composed purely from two round trips."""
