"""The judge: whether a version of the run's weights is better than the best so far.

docs/tour.md follows a candidate to its verdict, file by file.  Not on that way are the examiner, which
before each gate asks the newest version for moves in positions whose value is known, and the drills,
simple questions to its network alone.  No verdict depends on them.
"""
