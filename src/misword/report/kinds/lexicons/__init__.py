"""Pages of bilingual lexicons: audits, evaluations of mappings, drafts of dictionaries."""
