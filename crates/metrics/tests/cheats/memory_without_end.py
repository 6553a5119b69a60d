# Takes memory until nobody can.
held = []
while True:
    held.append(bytearray(8 << 20))
