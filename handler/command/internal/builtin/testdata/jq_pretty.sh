#!/bin/sh
jq .list
jq -n '{a: {b: [1, {c: []}, {}]}}'
jq -n '[]'
