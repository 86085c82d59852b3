#!/bin/sh
grep -o '"command":"[^"]*"' | cut -d'"' -f4
