#!/bin/sh
echo -n no; echo newline
echo 'a\tb\nc'
echo "plain" 'two  words'
echo -e x
echo '{"a":"b\\n"}'
echo 'cut \c off'
echo end
