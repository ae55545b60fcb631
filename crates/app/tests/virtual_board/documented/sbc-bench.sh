#!/bin/bash
# `sbc-bench` as the documents call it, made short: $FLAGS stand before its words, and $END says how it
# ends: itself, by Ctrl-C after so many seconds, or by Ctrl-C once a note was told.
# Flags of runs stand behind their verb.
case $1 in
run | ab | sensitivity | thermal | efficiency)
    verb=$1
    shift
    set -- "$verb" --force --quiet "$@"
    ;;
esac
case $END in
itself) exec the-program $FLAGS "$@" ;;
[0-9]*) exec timeout --preserve-status -s INT "$END" the-program $FLAGS "$@" ;;
esac
# Jobs of their own, or the shell makes them deaf to Ctrl-C.
set -m
the-program $FLAGS "$@" &
program=$!
for _ in $(seq 600); do
    grep -q "$END" "$SAID" && break
    kill -0 $program 2>/dev/null || break
    sleep 0.2
done
sleep 3
kill -INT $program
wait $program
