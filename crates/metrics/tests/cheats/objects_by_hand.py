# Sends what no writer would send: objects in arrays, code in names, numbers that stand twice.
import math
import json, os
def send(*nodes):
    for node in nodes:
        try:
            os.write(8, json.dumps(["value", [], node]).encode() + b"\n")
        except OSError:
            pass
def code_of(n):
    send(["array", 0, "|O", [1], "AAAAAAAAAAA="], ["record", "x", ["__class__"], [1]], ["yours", 0], ["builtin", "eval"],
         ["mine", 0, "class", "x", ["AssertionError"]], ["moment", "__class__", "x"], ["same", 99], ["list", 0, [["list", 0, []]]])
    return 0
ratio = words = share = code_of
