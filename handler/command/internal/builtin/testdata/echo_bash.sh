#!/bin/bash
echo -n no; echo newline
echo 'a\tb'
echo -e 'a\tb\nc'
echo -ne 'x\n'
echo -E 'a\tb'
echo -- x
