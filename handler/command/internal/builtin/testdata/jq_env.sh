#!/bin/sh
export REASON='from env'
jq -rn 'env.REASON'
jq -rn '$ENV.REASON'
