#!/bin/sh
# What a container does:
#
#   head [RAY'S OPTIONS]      a Ray of which others become workers
#   worker [RAY'S OPTIONS]    a node of the Ray at HEAD (head:6379)
#   train [OPTIONS]           a run on that Ray, in the container of the head, with the Redis server of the compose file if it is there
#   warm                      compile the kernels, while the image is built
#   anything else             that command
set -eu

secrets=/run/secrets
if [ -r "$secrets/ray_token" ]; then
    export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="$secrets/ray_token"
fi

role=${1:-head}
[ $# -eq 0 ] || shift
case $role in
head)
    exec ray start --block --head --port=6379 --dashboard-host=0.0.0.0 --metrics-export-port=9100 --disable-usage-stats "$@"
    ;;
worker)
    exec ray start --block --address="${HEAD:-head:6379}" --metrics-export-port=9100 --disable-usage-stats "$@"
    ;;
train)
    if [ -r "$secrets/redis_password" ]; then
        GOBANG_REDIS_PASSWORD=$(cat "$secrets/redis_password")  # arguments are for all to see
        export GOBANG_REDIS_PASSWORD
        set -- --redis redis://redis:6379/0 "$@"
    fi
    exec gobang train --address auto "$@"
    ;;
warm)
    exec gobang warm
    ;;
*)
    exec "$role" "$@"
    ;;
esac
