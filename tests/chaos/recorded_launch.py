"""`learner.launch` with a record of what its parts were told, and with parts that fail when a file says so."""

import sys

from learner import launch
from learner.replay.pool import redis_writer
from learner.run import pool, recipes
from tests.chaos.doubtful import DoubtfulLearnerFactory, make_doubtful_evaluator
from tests.chaos.record import RecordedPoolFactory, RecordedWriterFactory


def main() -> int:
    pool.RedisPoolFactory = RecordedPoolFactory
    redis_writer.RedisWriterFactory = RecordedWriterFactory
    recipes.LearnerFactory = DoubtfulLearnerFactory
    recipes.make_evaluator = make_doubtful_evaluator
    return launch.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
