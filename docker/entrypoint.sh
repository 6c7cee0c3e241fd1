#!/bin/sh
# Start what the first argument names:
#
#   head [OPTIONS OF RAY]     the head node of a Ray cluster
#   worker [OPTIONS OF RAY]   a node that joins the head at HEAD (default: head:6379)
#   train [OPTIONS]           a run on that cluster, in the container of the head; with the Redis server at REDIS, if that is set
#   warm                      compile the kernels while the image is built
#   anything else             that command
#
# A secret that is missing ends the container: a Ray without a token would run code for anybody who reaches it.
set -eu

secrets=/run/secrets

fail() {
    echo "entrypoint: $*" >&2
    exit 78
}

# Print the content of a secret; fail if it is missing, unreadable or empty.
read_secret() {
    [ -e "$secrets/$1" ] || fail "there is no $secrets/$1: $2"
    [ -r "$secrets/$1" ] || fail "user $(id -u) may not read $secrets/$1: make its file readable to that user"
    [ -n "$(tr -d '[:space:]' <"$secrets/$1")" ] || fail "$secrets/$1 is empty: $2"
    cat "$secrets/$1"
}

# Ray asks for a token from here on, whatever is started.
export RAY_AUTH_MODE=token
if [ -r "$secrets/ray_token" ] && [ -z "${RAY_AUTH_TOKEN:-}" ]; then
    export RAY_AUTH_TOKEN_PATH="$secrets/ray_token"
fi

need_token() {
    [ -n "${RAY_AUTH_TOKEN:-}" ] || read_secret ray_token "run 'ray get-auth-token --generate' and mount ~/.ray/auth_token" >/dev/null
}

role=${1:-head}
[ $# -eq 0 ] || shift
case $role in
head)
    need_token
    exec ray start --block --head --port=6379 --dashboard-host=0.0.0.0 --metrics-export-port=9100 --disable-usage-stats "$@"
    ;;
worker)
    need_token
    exec ray start --block --address="${HEAD:-head:6379}" --metrics-export-port=9100 --disable-usage-stats "$@"
    ;;
train)
    need_token
    if [ -n "${REDIS:-}" ]; then
        # In the environment: all users can read the arguments of a process.
        GOBANG_REDIS_PASSWORD=$(read_secret redis_password "mount the password of $REDIS")
        export GOBANG_REDIS_PASSWORD
        set -- --redis "$REDIS" "$@"
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
