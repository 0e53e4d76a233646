"""What `enable` exchanges in a model of transformers: a file per kind of module."""
