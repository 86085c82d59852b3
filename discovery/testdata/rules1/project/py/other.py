unused = True
