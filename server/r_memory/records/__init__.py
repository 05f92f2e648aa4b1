"""Files that people have: records, tables, conversations and other memories become facts with a voice of their own."""
