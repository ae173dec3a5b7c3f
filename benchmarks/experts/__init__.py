"""The programs of `examples/`, each as an expert writes it in `lax`; `benchmarks/examples.py` compares them."""
