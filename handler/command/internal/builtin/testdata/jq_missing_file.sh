#!/bin/sh
jq . nowhere.json 2>/dev/null; echo $?
