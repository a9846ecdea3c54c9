"""`verify` on memos: sound ones that fail, and planted errors that are found."""
