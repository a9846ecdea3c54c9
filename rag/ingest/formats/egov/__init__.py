"""Japanese law in the standard law XML of e-Gov."""
