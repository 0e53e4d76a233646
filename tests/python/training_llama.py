"""A small Llama-type model, written once, that computes by opyard's operators or by torch's, and its training steps.

As a program it trains one rank of a sharded model: `training_llama.py RANK WORLD RENDEZVOUS` prints the losses.
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

from opyard import ops

HIDDEN, HEADS, KEY_HEADS, WIDTH, LAYERS, VOCABULARY, STEPS = 256, 8, 4, 32, 4, 97, 20
EPS, BASE = 1e-5, 10000.0


class TorchMath:
    """The functions of a layer, by torch."""

    def norm(self, x, weight):
        return functional.rms_norm(x, [HIDDEN], weight, EPS)

    def linear(self, x, weight):
        return functional.linear(x, weight)

    def rotate(self, x):
        angles = torch.arange(x.size(1))[:, None] * BASE ** (-torch.arange(0, WIDTH, 2) / WIDTH)
        cos, sin = angles.cos()[:, None], angles.sin()[:, None]
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def attend(self, q, k, v):
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2)

    def gate(self, x):
        gate, up = x.chunk(2, dim=-1)
        return functional.silu(gate) * up

    def add(self, x, y):
        return x + y


class OpyardMath:
    """The same, by opyard's operators."""

    def __init__(self):
        self.normalise = ops.RMSNormFwdOp([HIDDEN], eps=EPS)
        self.product = ops.GEMMFwdOp()
        self.rotate = ops.RoPEFwdOp(input_layout="2d", base=BASE)
        self.attend = ops.GQADenseFwdOp(is_causal=True)
        self.activate = ops.SiLUAndMulFwdOp()
        self.add = ops.AddFwdOp()

    def norm(self, x, weight):
        return self.normalise(x, weight)

    def linear(self, x, weight):
        return self.product(x.flatten(0, -2), weight).unflatten(0, x.shape[:-1])

    def gate(self, x):
        return self.activate(x.flatten(0, -2)).unflatten(0, x.shape[:-1])


class Layer(nn.Module):
    def __init__(self, math):
        super().__init__()
        self.math = math
        rows = (HEADS + 2 * KEY_HEADS) * WIDTH
        self.attention_norm, self.mlp_norm = (nn.Parameter(torch.ones(HIDDEN)) for _ in range(2))
        self.qkv = nn.Parameter(torch.randn(rows, HIDDEN) * 0.05)
        self.out = nn.Parameter(torch.randn(HIDDEN, HEADS * WIDTH) * 0.05)
        self.up = nn.Parameter(torch.randn(4 * HIDDEN, HIDDEN) * 0.05)
        self.down = nn.Parameter(torch.randn(HIDDEN, 2 * HIDDEN) * 0.05)

    def forward(self, x):
        math = self.math
        heads = math.linear(math.norm(x, self.attention_norm), self.qkv).unflatten(-1, (-1, WIDTH))
        q, k, v = heads.split([HEADS, KEY_HEADS, KEY_HEADS], dim=2)
        seen = math.attend(math.rotate(q), math.rotate(k), v)
        x = math.add(x, math.linear(seen.flatten(2), self.out))
        return math.add(x, math.linear(math.gate(math.linear(math.norm(x, self.mlp_norm), self.up)), self.down))


class Llama(nn.Module):
    def __init__(self, math):
        super().__init__()
        torch.manual_seed(0)
        self.math = math
        self.embedding = nn.Parameter(torch.randn(VOCABULARY, HIDDEN) * 0.05)
        self.layers = nn.ModuleList(Layer(math) for _ in range(LAYERS))
        self.norm = nn.Parameter(torch.ones(HIDDEN))

    def forward(self, ids):
        x = functional.embedding(ids, self.embedding)
        for layer in self.layers:
            x = layer(x)
        return self.math.linear(self.math.norm(x, self.norm), self.embedding)


def batches(part: int = 0, parts: int = 1):
    """The token rows of each step, which count up from a random start; of several parts, every one gets as many."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        starts = torch.randint(VOCABULARY, (4, 1), generator=generator)
        yield ((starts + torch.arange(17)) % VOCABULARY).chunk(parts)[part]


def losses(model, run=None, rows=None) -> list[float]:
    """Trains; `run` stands in for the model's forward."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    all_losses = []
    forward = model if run is None else run
    for ids in rows or batches():
        logits = forward(ids[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        all_losses.append(loss.detach())
    return [float(loss) for loss in all_losses]


def train_sharded(rank: int, world: int, rendezvous: str) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=world)
    mesh = init_device_mesh("cpu", (world,))
    model = Llama(OpyardMath())
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    mean = torch.tensor(losses(model, rows=batches(rank, world)))
    dist.all_reduce(mean)
    print(*(mean / world).tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    train_sharded(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
