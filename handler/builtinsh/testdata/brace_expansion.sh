#!/bin/bash
echo {a,b,c}.txt {1..5} x{01..03}y
