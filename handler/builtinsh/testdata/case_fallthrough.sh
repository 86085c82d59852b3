#!/bin/bash
case a in a) echo 1 ;& b) echo 2 ;; c) echo 3 ;; esac
case ab in a*) echo 4 ;;& *b) echo 5 ;; esac
