# Prints until nobody can.
import math
while True:
    print('x' * 65536)
