"""all-MiniLM-L6-v2 in Python on the lines of a file, timed on the processor's clock.

    minilm.py ENGINE MODEL_FOLDER FILE THREADS [VECTORS.npy]

ENGINE is onnx (ONNX Runtime, float32, the graph built here from the published weights), torch (transformers' BERT in
batches sorted by length) or sentence-transformers. Prints one JSON object; with a last argument the vectors are saved.
Needs numpy and tokenizers, and of onnx onnxruntime / torch transformers / sentence-transformers what the engine uses.
MODEL_FOLDER holds the whole model: config.json, tokenizer.json, vocab.txt, model.safetensors.
"""

import json
import os
import sys
import time

engine, folder, path, threads = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
os.environ["OMP_NUM_THREADS"] = str(threads)

import numpy as np  # noqa: E402

BATCH = 32


def tokenizer():
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    made.enable_truncation(256)
    made.no_padding()
    return made


def weights():
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = file.read()
    kept = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            kept[name] = np.frombuffer(data[start:end], dtype=np.float32).reshape(entry["shape"])
    return kept


def graph():
    """The network as ONNX, in the pattern of nodes that ONNX Runtime fuses."""
    from onnx import TensorProto, helper, numpy_helper

    tensors, nodes, given = weights(), [], {}

    def constant(name, value):
        if name not in given:
            given[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], name=output + "_node", **attributes))
        return output

    def linear(x, name, output):
        w = constant(name + ".wT", tensors[name + ".weight"].T)
        return node("Add", [node("MatMul", [x, w], output + "_m"), constant(name + ".b", tensors[name + ".bias"])], output)

    def norm(x, name, output):
        w, b = constant(name + ".w", tensors[name + ".weight"]), constant(name + ".b", tensors[name + ".bias"])
        return node("LayerNormalization", [x, w, b], output, axis=-1, epsilon=1e-12)

    base = "embeddings."
    words = constant("words", tensors[base + "word_embeddings.weight"])
    kind = tensors[base + "token_type_embeddings.weight"][0]
    places = constant("places", tensors[base + "position_embeddings.weight"][:256] + kind)
    x = node("Gather", [words, "ids"], "word_rows")
    shape = node("Shape", ["ids"], "shape")
    length = node("Gather", [shape, constant("one", np.array([1], dtype=np.int64))], "length")
    rows = node("Slice", [places, constant("zero", np.array([0], dtype=np.int64)), length], "place_rows")
    x = norm(node("Add", [x, rows], "sum"), base + "LayerNorm", "x")
    # 0 where there is a token, -10000 where there is none.
    mask = node("Unsqueeze", ["mask", constant("axes", np.array([1, 2], dtype=np.int64))], "mask_4d")
    mask = node("Mul", [node("Sub", [constant("ones", np.array(1, np.float32)), mask], "mask_inverse"),
                        constant("low", np.array(-10000, np.float32))], "mask_low")
    heads = constant("heads", np.array([0, 0, 12, 32], dtype=np.int64))
    flat = constant("flat", np.array([0, 0, 384], dtype=np.int64))
    for layer in range(6):
        at, pre = f"encoder.layer.{layer}.", f"l{layer}_"

        def split(part, order):
            y = linear(x, at + "attention.self." + part, pre + part)
            return node("Transpose", [node("Reshape", [y, heads], pre + part + "_r")], pre + part + "_t", perm=order)

        q, k, v = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
        scores = node("Div", [node("MatMul", [q, k], pre + "qk"), constant("root", np.array(np.sqrt(32), np.float32))], pre + "s")
        scores = node("Softmax", [node("Add", [scores, mask], pre + "masked")], pre + "p", axis=-1)
        mixed = node("Transpose", [node("MatMul", [scores, v], pre + "pv")], pre + "c", perm=[0, 2, 1, 3])
        mixed = linear(node("Reshape", [mixed, flat], pre + "cr"), at + "attention.output.dense", pre + "o")
        x = norm(node("Add", [mixed, x], pre + "a"), at + "attention.output.LayerNorm", pre + "n1")
        y = linear(x, at + "intermediate.dense", pre + "i")
        erf = node("Erf", [node("Div", [y, constant("root2", np.array(np.sqrt(2), np.float32))], pre + "e0")], pre + "e1")
        erf = node("Add", [erf, "ones"], pre + "e2")
        y = node("Mul", [node("Mul", [y, erf], pre + "e3"), constant("half", np.array(0.5, np.float32))], pre + "g")
        y = linear(y, at + "output.dense", pre + "d")
        x = norm(node("Add", [y, x], pre + "b"), at + "output.LayerNorm", pre + "n2")
    model = helper.make_model(
        helper.make_graph(
            nodes, "minilm",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"]),
             helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"])],
            [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "length", 384])],
            list(given.values())),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return model.SerializeToString()


def pooled(rows, mask):
    total = (rows * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return total / np.linalg.norm(total, axis=1, keepdims=True)


def in_batches(lines, run):
    """Batches of like length, as sentence-transformers makes them."""
    cutter = tokenizer()
    tokens = [encoded.ids for encoded in cutter.encode_batch(lines)]
    order = sorted(range(len(lines)), key=lambda at: -len(tokens[at]))
    vectors = np.zeros((len(lines), 384), np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start:start + BATCH]
        longest = max(len(tokens[at]) for at in batch)
        ids, mask = np.zeros((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.float32)
        for row, at in enumerate(batch):
            ids[row, :len(tokens[at])] = tokens[at]
            mask[row, :len(tokens[at])] = 1
        vectors[batch] = pooled(run(ids, mask), mask)
    return vectors


if engine == "onnx":
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(graph(), settings, providers=["CPUExecutionProvider"])
    embed = lambda lines: in_batches(lines, lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})[0])  # noqa: E731
    version = "onnxruntime " + onnxruntime.__version__
elif engine == "torch":
    import torch
    import transformers

    torch.set_num_threads(threads)
    bert = transformers.BertModel.from_pretrained(folder).eval()

    def run(ids, mask):
        with torch.inference_mode():
            return bert(torch.from_numpy(ids), torch.from_numpy(mask)).last_hidden_state.numpy()

    embed = lambda lines: in_batches(lines, run)  # noqa: E731
    version = "torch " + torch.__version__
else:
    import sentence_transformers
    import torch

    torch.set_num_threads(threads)
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")
    embed = lambda lines: model.encode(lines, batch_size=BATCH)  # noqa: E731
    version = "sentence-transformers " + sentence_transformers.__version__

with open(path, encoding="utf-8") as file:
    lines = file.read().splitlines()
embed(lines[:64])
cpu, wall = time.process_time(), time.time()
vectors = embed(lines)
cpu, wall = time.process_time() - cpu, time.time() - wall
if len(sys.argv) > 5:
    np.save(sys.argv[5], vectors)
print(json.dumps({"rows": len(lines), "seconds": cpu, "wall": wall, "total": float(vectors.sum(dtype=np.float64)), "version": version}))
