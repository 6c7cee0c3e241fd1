"""Faults on purpose: real runs are struck, and what they acknowledged is compared with what is left.  `make chaos`

case          what a case is, and what came of one of its rounds
stage         the run that a round strikes: started, watched, its parts found, its history examined
record        who was told what: each game that Redis answered for, each that the learner read
history       the record against the pool, the versions and the judge's journals
rounds        the rounds that were played, in a file, and their table
killed, frozen, checkpoints, ...   the cases by subject; cases lists them
nemesis       a run in which one fault after the other strikes at random
"""
