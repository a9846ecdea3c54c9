"""What the faces share: results as lines for people."""
