"""United States Legislative Markup."""
