#!/usr/bin/env bash
# Exits with 0 if the program of this container is ready, else with 1. It runs every few seconds, so it uses bash's sockets instead of starting Node.
host="${OPERATOR_HOST:-127.0.0.1}"
port="${OPERATOR_PORT:-8082}"
case "$host" in 0.0.0.0 | ::) host=127.0.0.1 ;; esac
case "$host" in *:*) name="[$host]" ;; *) name="$host" ;; esac
# A closed connection means not ready; the script prints nothing.
trap '' PIPE
exec 2>/dev/null 3<>"/dev/tcp/$host/$port" || exit 1
printf 'GET /health/ready HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$name" "$port" >&3 || exit 1
# Shorter than the time-out of the health check, so that this script decides.
IFS= read -r -t 8 status <&3 || exit 1
[[ "$status" == 'HTTP/1.1 200 '* ]]
