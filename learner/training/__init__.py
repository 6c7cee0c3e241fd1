"""The learner: samples in, training steps, versions of weights out."""
