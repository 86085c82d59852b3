import helper

helper.check()
