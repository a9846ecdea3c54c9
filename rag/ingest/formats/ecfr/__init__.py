"""The eCFR in XML."""
