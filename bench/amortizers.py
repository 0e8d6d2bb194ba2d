"""The amortizers A and EA: maps from a pair of clouds [B, m, 3] to a unit location [B, 3], beside LA of model.py."""

import torch
from torch import nn
from torch.nn import functional


class Pooled(nn.Module):
    """The mean over both clouds and their points of an attention's output, divided by its norm."""

    def __init__(self, attention, width=64):
        super().__init__()
        self.attn = attention(width)

    def forward(self, x, y):
        location = (self.attn(x) + self.attn(y)) / 2
        return location / location.norm(dim=1, keepdim=True)


class Projections(nn.Module):
    """Queries and keys of width d_k and values of width 3 of a cloud's points."""

    def __init__(self, width):
        super().__init__()
        self.toqueries, self.tokeys = nn.Linear(3, width), nn.Linear(3, width)
        self.tovalues = nn.Linear(3, 3)

    def project(self, clouds):
        return self.toqueries(clouds), self.tokeys(clouds), self.tovalues(clouds)


class FullAttention(Projections):
    """softmax(Q K^T / sqrt(d_k)) V. PyTorch's fused attention wants values as wide as keys: they are padded with zeros,
    which is three times faster than its other path and never stores the m x m scores."""

    def forward(self, clouds):
        queries, keys, values = self.project(clouds)
        values = functional.pad(values, (0, queries.shape[2] - 3))
        one_head = (t.unsqueeze(1) for t in (queries, keys, values))
        return functional.scaled_dot_product_attention(*one_head)[:, 0, :, :3].mean(dim=1)


class EfficientAttention(Projections):
    """softmax over features of Q times (softmax over points of K)^T V."""

    def forward(self, clouds):
        queries, keys, values = self.project(clouds)
        context = torch.softmax(keys, dim=1).transpose(1, 2) @ values  # [B, d_k, 3]
        return (torch.softmax(queries, dim=2) @ context).mean(dim=1)

