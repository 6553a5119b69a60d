# Leaves a report of 20 MiB.
import math
with open('report.json', 'w') as file:
    file.write('x' * (20 << 20))
import os
os._exit(0)
