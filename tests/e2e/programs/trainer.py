"""A trainer in the style of Hugging Face's: dataclasses, nested modules, tied weights, callbacks; nothing is downloaded."""
from __future__ import annotations

import argparse
import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class ModelConfig:
    vocabulary: int = 50
    width: int = 16
    heads: int = 2
    layers: int = 2
    tie_weights: bool = True


@dataclass
class TrainingArguments:
    steps: int = 3
    batch_size: int = 4
    learning_rate: float = 1e-3
    label_smoothing: float = 0.0
    seed: int = 0


@dataclass
class ModelOutput:
    logits: torch.Tensor
    loss: torch.Tensor | None = None
    hidden_states: tuple = ()
    attentions: dict = field(default_factory=dict)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)
        self.heads = config.heads
        self.register_buffer("mask", torch.tril(torch.ones(32, 32)), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        split = lambda t: t.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        q, k, v = map(split, (q, k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(self.mask[:length, :length] == 0, float("-inf"))
        weights = scores.softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width)), weights


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = Attention(config)
        self.norms = nn.ModuleDict({"before": nn.LayerNorm(config.width), "after": nn.LayerNorm(config.width)})
        self.mlp = nn.Sequential(nn.Linear(config.width, 32), nn.GELU(), nn.Linear(32, config.width))

    def forward(self, x):
        attended, weights = self.attention(self.norms["before"](x))
        x = x + attended
        return x + self.mlp(self.norms["after"](x)), weights


class LanguageModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        if config.tie_weights:
            self.head.weight = self.embedding.weight

    def forward(self, input_ids, labels=None):
        x = self.embedding(input_ids)
        hidden, attentions = [x], {}
        for number, block in enumerate(self.blocks):
            x, attentions[number] = block(x)
            hidden.append(x)
        logits = self.head(x)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return ModelOutput(logits, loss, tuple(hidden), attentions)


class TokenDataset(Dataset):
    def __init__(self, config, length=8, count=12):
        self.tokens = np.random.default_rng(0).integers(0, config.vocabulary, (count, length))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        ids = torch.from_numpy(self.tokens[index])
        return {"input_ids": ids, "labels": ids}


class Callback:
    def on_step(self, trainer, output):
        raise NotImplementedError


class History(Callback):
    def __init__(self):
        self.losses = []
        self.best = defaultdict(lambda: None)

    def on_step(self, trainer, output):
        self.losses.append(output.loss.detach())
        self.best["logits"] = output.logits.detach()[0]


class EMA(Callback):
    def __init__(self, decay=0.9):
        self.decay, self.shadow = decay, {}

    def on_step(self, trainer, output):
        for name, parameter in trainer.model.named_parameters():
            kept = self.shadow.setdefault(name, parameter.detach().clone())
            kept.mul_(self.decay).add_(parameter.detach(), alpha=1 - self.decay)


class Trainer:
    def __init__(self, model, args, dataset, callbacks=()):
        self.model, self.args, self.dataset, self.callbacks = model, args, dataset, list(callbacks)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: 1 / (step + 1))

    def train(self):
        loader = iter(DataLoader(self.dataset, batch_size=self.args.batch_size))
        for step, batch in enumerate(loader):
            output = self.model(**batch)
            self.optimizer.zero_grad()
            output.loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            for callback in self.callbacks:
                callback.on_step(self, output)
        return output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    args = TrainingArguments(steps=options.steps)
    torch.manual_seed(args.seed)
    model = LanguageModel(ModelConfig())
    trainer = Trainer(model, args, TokenDataset(model.config), [History(), EMA()])
    output = trainer.train()
    print("loss", float(output.loss))


if __name__ == "__main__":
    main()
