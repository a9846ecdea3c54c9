"""Crown Legislation Markup Language."""
