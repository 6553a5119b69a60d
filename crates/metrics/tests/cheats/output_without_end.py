# Prints until nobody can.
while True:
    print('x' * 65536)
