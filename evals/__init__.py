"""The offline evaluation: suites that measure the engine on law with known truth, and judge it against gates."""
