#!/bin/sh
# Runs beside Ray on a spot machine: waits for the notice that the cloud will take it away, and passes it on to Ray.
# A run then takes its actors away from here, with all that they have finished, and starts them elsewhere.
#
# AWS says so two minutes before, Google Cloud half a minute; both at the same address.
set -eu
metadata=${METADATA:-http://169.254.169.254}

ask() {
    path=$1
    shift
    curl --silent --fail --max-time 2 "$@" "$metadata/$path"
}

aws_gives_notice() {
    token=$(ask latest/api/token --request PUT --header 'X-aws-ec2-metadata-token-ttl-seconds: 60') || return 1
    ask latest/meta-data/spot/instance-action --header "X-aws-ec2-metadata-token: $token"
}

google_gives_notice() {
    [ "$(ask computeMetadata/v1/instance/preempted --header 'Metadata-Flavor: Google')" = TRUE ]
}

while true; do
    aws_gives_notice && seconds=110 && break
    google_gives_notice && seconds=25 && break
    sleep 5
done
exec ray drain-node --reason DRAIN_NODE_REASON_PREEMPTION --reason-message 'the cloud takes this spot machine away' \
    --deadline-remaining-seconds "$seconds"
