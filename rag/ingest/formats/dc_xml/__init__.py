"""The D.C. Code in XML."""
