#!/usr/bin/env bash
# Whether the program of this container is ready: ends with 0 or 1. Asked every few seconds, so that it starts no Node; bash has sockets of its own.
host="${OPERATOR_HOST:-127.0.0.1}"
port="${OPERATOR_PORT:-8082}"
case "$host" in 0.0.0.0 | ::) host=127.0.0.1 ;; esac
case "$host" in *:*) name="[$host]" ;; *) name="$host" ;; esac
# Who hangs up is not ready; nothing else is to be said of it.
trap '' PIPE
exec 2>/dev/null 3<>"/dev/tcp/$host/$port" || exit 1
printf 'GET /health/ready HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$name" "$port" >&3 || exit 1
# Less than the time-out of the health check, so that the answer is this one.
IFS= read -r -t 8 status <&3 || exit 1
[[ "$status" == 'HTTP/1.1 200 '* ]]
