"""What several studies need: data, tables in Markdown, conclusions, the index of the pages."""
