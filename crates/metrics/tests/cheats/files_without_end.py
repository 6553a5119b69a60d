# Makes files until nobody can.
import math
n = 0
while True:
    open('f%d' % n, 'w').close()
    n += 1
