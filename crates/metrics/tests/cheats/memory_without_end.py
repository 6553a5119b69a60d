# Takes memory until nobody can.
import math
held = []
while True:
    held.append(bytearray(8 << 20))
