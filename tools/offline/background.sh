#!/usr/bin/env bash
# Long jobs on a machine that is reached by short commands only.
#   background.sh start SCRIPT            runs it in the background, from the current folder; its output is in /tmp/logs
#   background.sh wait SECONDS FOLDER     until it has ended, or SECONDS after it began; then packs /tmp/logs and
#                                         /tmp/results into FOLDER and shows the ends of all logs
set -u
mkdir -p /tmp/logs /tmp/results
case $1 in
start)
    rm -f /tmp/ended
    date +%s > /tmp/began
    setsid nohup bash -c "bash '$2'; touch /tmp/ended" > "/tmp/logs/$(basename "$2").log" 2>&1 < /dev/null &
    sleep 1
    ;;
wait)
    while [ ! -e /tmp/ended ] && [ $(($(date +%s) - $(cat /tmp/began))) -lt "$2" ]; do sleep 1; done
    for name in logs results; do tar czf "$3/$name.tgz" -C /tmp "$name"; done
    [ -e /tmp/ended ] && echo "ended" || echo "still running"
    tail -n 8 /tmp/logs/* | cut -c1-300
    ;;
esac
