"""Commands that compare metrics with what people prefer."""
