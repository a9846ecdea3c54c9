"""What the grammars of several countries share."""
