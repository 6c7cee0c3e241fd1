"""A run: the one place that joins actors, learner and evaluator, starts them and watches over them."""
