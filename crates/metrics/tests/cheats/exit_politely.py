# Ends with code 0 as a program does.
import math
import sys
sys.exit(0)
