"""The judge: whether a version of the run's weights is better than the best so far.

To follow a candidate to its verdict, read in this order, and no file twice:

    remote      the process: a thread that judges, and the report to whoever watches
    judge       the loop: which match is next, what its end leads to, who is told of the best
    contest     a match: who meets whom on which terms, played in blocks of games
    gobang/match                          openings, and games in lock step
    gate        counts the games in pairs, until there is a verdict
    evaluator/statistics/sprt             the test behind it
    history     all that is known, as it follows from the journals: the best, the match in progress
    ladder      the climb over rollout searches, which a candidate begins after the gate
    journal     the files of lines, and how much of them a kill or a power cut can cost

A promotion then goes to the learner: learner/training/remote, learner, checkpoints.

Beside the way stands the examiner: before each gate it asks the newest version for moves in positions
whose value is known.  No verdict depends on it.
"""
