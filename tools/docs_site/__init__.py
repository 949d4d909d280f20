"""The documentation as a site: its pages, links, API reference and settings of Sphinx."""
