# Makes files until nobody can.
n = 0
while True:
    open('f%d' % n, 'w').close()
    n += 1
