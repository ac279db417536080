"""haystack.yaml: read, validated, frozen."""
