#!/bin/sh
mkdir -p sub; cd sub; pwd | sed 's,.*/,,'
cd ..; (cd sub && touch inside); ls sub
cd - >/dev/null; pwd | sed 's,.*/,,'
