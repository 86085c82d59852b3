#!/bin/bash
printf 'echo raw "$1"\n' > raw; chmod +x raw
./raw arg
