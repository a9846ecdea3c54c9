"""The MCP server: tool groups, wires and the guard before them."""
