"""A run: the one place that joins actors, learner and judge, starts them and watches over them."""
