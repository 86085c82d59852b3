#!/bin/bash
jq -r '"\(.tool_input.command) - \(.tool_input.description // "none")"' >> log.txt
cat log.txt
