import sys


def check():
    sys.stdin.read()
