"""Tree search: many games in lock step over one kind of array tree, by PUCT, UCB1, Gumbel or playouts."""
