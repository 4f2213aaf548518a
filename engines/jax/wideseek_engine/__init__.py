"""A small training engine: a Qwen3-architecture decoder in JAX behind the trainer's HTTP wire."""
