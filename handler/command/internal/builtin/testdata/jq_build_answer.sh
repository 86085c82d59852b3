#!/bin/sh
jq -c '{decision: "deny"}'
jq -nc --arg r 'because
of lines' '{reason: $r}'
