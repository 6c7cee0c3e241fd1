"""The judge: whether a version of the run's weights is better than the best so far.

docs/tour.md follows a candidate to its verdict, file by file.  The examiner is not on that way: before
each gate it asks the newest version for moves in positions whose value is known, and no verdict depends
on it.
"""
