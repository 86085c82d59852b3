#!/bin/sh
# Keeps the agent going until the tests have run. The second time in a row the
# event says stop_hook_active, and the hook lets it stop.
case $(cat) in
*'"stop_hook_active":true'*) exit 0 ;;
esac
echo "run the tests before you stop" >&2
exit 2
