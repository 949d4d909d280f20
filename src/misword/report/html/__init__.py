"""HTML elements, chart specifications and text that every page is made of."""
