# Becomes another program.
import math
import os
os.execv("/bin/true", ["true"])
