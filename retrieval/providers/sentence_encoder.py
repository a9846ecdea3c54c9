"""The graph of a small BERT sentence encoder for onnxruntime, made in memory from the weights of its safetensors file.

ONNX is a protobuf format; the few messages that such a graph takes are written here, so that neither torch nor the
package `onnx` is needed and nothing is kept on disk. Matrices are rounded to 8-bit integers, one scale for each column;
everything else stays in 32-bit floats. The rounding of a layer's input depends on all texts that are encoded together,
so the graph takes one text a call: its vector then depends on nothing but the text.

Field numbers: onnx.proto3 of the ONNX project. `DynamicQuantizeMatMul`, `MultiHeadAttention` and
`SkipLayerNormalization` are onnxruntime's own operators (domain com.microsoft).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Attribute = float | int | str

INPUT, OUTPUT = "embedded", "vector"
_OPSET, _IR_VERSION, _CONTRIB = 20, 9, "com.microsoft"
_STORED = {"F32": "<f4", "F16": "<f2"}
_TYPES = {"float32": 1, "int8": 3, "int64": 7}
_FLOAT = 1


def read_safetensors(file: Path) -> dict[str, Array]:
    """The floating-point tensors of a safetensors file (32 or 16 bits) by name, mapped from the file and not copied.

    Raises:
        OSError: the file cannot be read.
        ValueError, KeyError: it is not a safetensors file.
    """
    data = np.memmap(file, dtype=np.uint8, mode="r")
    size = struct.unpack("<Q", data[:8].tobytes())[0]
    described = json.loads(data[8 : 8 + size].tobytes())
    tensors: dict[str, Array] = {}
    for name, one in described.items():
        if name != "__metadata__" and one["dtype"] in _STORED:
            begin, end = (8 + size + offset for offset in one["data_offsets"])
            tensors[name] = data[begin:end].view(_STORED[one["dtype"]]).reshape(one["shape"])
    return tensors


def adapted(tensors: Mapping[str, Array], adapter: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of a model with a low-rank adapter added to them (LoRA): W + up @ down for each matrix it names.

    Args:
        adapter: `NAME.down` of shape (rank, inputs) and `NAME.up` of shape (outputs, rank) for matrices `NAME.weight`.

    Raises:
        KeyError: it names a matrix that the model does not have, or lacks one of a pair.
        ValueError: a pair does not fit its matrix.
    """
    out = dict(tensors)
    for name in sorted({key.rpartition(".")[0] for key in adapter}):
        up, down = (adapter[f"{name}.{part}"].astype(np.float32) for part in ("up", "down"))
        out[f"{name}.weight"] = tensors[f"{name}.weight"] + up @ down
    return out


def encoder_graph(tensors: Mapping[str, Array], *, heads: int, epsilon: float) -> bytes:
    """A serialised ONNX model: one text's embedded tokens to its vector.

    The input is float32 of shape (1, tokens, hidden): the sum of each token's word, position and type embedding. The
    output is float32 of shape (1, hidden): the mean of the last layer over the tokens, scaled to length one.

    Args:
        tensors: the model's weights under the names of a Hugging Face BERT.
        heads: of its attention.
        epsilon: of its normalisations.

    Raises:
        KeyError: a weight is missing.
    """
    graph = _Graph()
    weight, node = graph.weight, graph.node

    def normalisation(name: str) -> tuple[str, str]:
        return weight(tensors[f"{name}.weight"]), weight(tensors[f"{name}.bias"])

    def linear(x: str, *names: str) -> str:
        matrix = np.concatenate([tensors[f"{name}.weight"] for name in names]).T
        scales = np.maximum(np.abs(matrix).max(axis=0) / 127, np.finfo(np.float32).tiny).astype(np.float32)
        rounded = np.rint(matrix / scales).astype(np.int8)
        bias = np.concatenate([tensors[f"{name}.bias"] for name in names])
        given = (x, weight(rounded), weight(scales), "", weight(bias))
        return node("DynamicQuantizeMatMul", *given, domain=_CONTRIB)[0]

    def add_and_normalise(x: str, y: str, name: str) -> str:
        return node("SkipLayerNormalization", x, y, *normalisation(name), domain=_CONTRIB, epsilon=epsilon)[0]

    x = node("LayerNormalization", INPUT, *normalisation("embeddings.LayerNorm"), axis=-1, epsilon=epsilon)[0]
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        at = f"encoder.layer.{layer}"
        joined = linear(x, *(f"{at}.attention.self.{name}" for name in ("query", "key", "value")))
        parts = node("Split", joined, outputs=3, axis=-1, num_outputs=3)
        attended = node("MultiHeadAttention", *parts, domain=_CONTRIB, num_heads=heads)[0]
        x = add_and_normalise(linear(attended, f"{at}.attention.output.dense"), x, f"{at}.attention.output.LayerNorm")
        inner = node("Gelu", linear(x, f"{at}.intermediate.dense"))[0]
        x = add_and_normalise(linear(inner, f"{at}.output.dense"), x, f"{at}.output.LayerNorm")
        layer += 1
    mean = node("ReduceMean", x, weight(np.array([1], np.int64)), keepdims=0)[0]
    node("LpNormalization", mean, named=OUTPUT, axis=-1, p=2)
    hidden = tensors["embeddings.LayerNorm.weight"].shape[0]
    return graph.model(inputs=(1, "tokens", hidden), outputs=(1, hidden))


@dataclass(slots=True)
class _Graph:
    """The messages of a graph, in the order of its computation."""

    nodes: list[bytes] = field(default_factory=list[bytes])
    weights: list[bytes] = field(default_factory=list[bytes])

    def weight(self, values: Array) -> str:
        """A constant: TensorProto of dims, data_type, name and raw_data."""
        name = f"weight{len(self.weights)}"
        held = np.ascontiguousarray(values)
        self.weights.append(
            b"".join(_field(1, length) for length in held.shape)
            + _field(2, _TYPES[held.dtype.name]) + _field(8, name) + _field(9, held.tobytes())
        )  # fmt: skip
        return name

    def node(
        self, operator: str, *inputs: str, outputs: int = 1, named: str = "", domain: str = "", **given: Attribute
    ) -> list[str]:
        """A step: NodeProto; returns the names of its outputs."""
        names = [named or f"step{len(self.nodes)}.{number}" for number in range(outputs)]
        message = b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in names)
        attributes = b"".join(_field(5, _attribute(name, value)) for name, value in given.items())
        self.nodes.append(message + _field(4, operator) + attributes + _field(7, domain))
        return names

    def model(self, *, inputs: tuple[int | str, ...], outputs: tuple[int | str, ...]) -> bytes:
        """ModelProto of the graph and the sets of operators that it uses."""
        graph = (
            b"".join(_field(1, node) for node in self.nodes) + _field(2, "encoder")
            + b"".join(_field(5, weight) for weight in self.weights)
            + _field(11, _value(INPUT, inputs)) + _field(12, _value(OUTPUT, outputs))
        )  # fmt: skip
        operators = _field(8, _field(1, "") + _field(2, _OPSET)) + _field(8, _field(1, _CONTRIB) + _field(2, 1))
        return _field(1, _IR_VERSION) + operators + _field(7, graph)


def _attribute(name: str, value: Attribute) -> bytes:
    """AttributeProto: its name, its value in the field of its type, and the type."""
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, 1)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + _field(4, value) + _field(20, 3)


def _value(name: str, shape: tuple[int | str, ...]) -> bytes:
    """ValueInfoProto of a float tensor; a name in the shape stands for any length."""
    dimensions = b"".join(_field(1, _field(2 if isinstance(number, str) else 1, number)) for number in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, dimensions)))


def _field(number: int, value: Attribute | bytes) -> bytes:
    """One protobuf field: varint, 32-bit float, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
