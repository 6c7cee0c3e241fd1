"""Judgement of gobang: matches, ratings and the gate that promotes a candidate."""
