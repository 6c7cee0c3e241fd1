"""Networks: architectures, files of weights, and the libraries that run them."""
