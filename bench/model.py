"""The networks and losses of sliced Wasserstein autoencoding, in plain eager PyTorch.

B clouds of m points in 3 dimensions, L slicing directions, F = sum over points of squared sorted differences. Module
names are those of the original program's checkpoints, so a state dict fits both.
"""

import math

import torch
from torch import nn
from torch.nn import functional


class Encoder(nn.Module):
    """[B, m, 3] -> [B, 256], rows of length 1."""

    def __init__(self):
        super().__init__()
        self.mlp1 = nn.Sequential(*_point_layer(3, 64), *_point_layer(64, 64))
        self.mlp2 = nn.Sequential(*_point_layer(64, 64), *_point_layer(64, 128), *_point_layer(128, 1024))
        self.fc_mu = nn.Linear(1024, 256)

    def forward(self, clouds):
        features = self.mlp2(self.mlp1(clouds.transpose(1, 2)))
        return functional.normalize(self.fc_mu(features.max(dim=2)[0]), dim=1)


class Decoder(nn.Module):
    """[B, 256] -> [B, m, 3] in (-1, 1)."""

    def __init__(self, points):
        super().__init__()
        self.fc1, self.bn1 = nn.Linear(256, 1024), nn.BatchNorm1d(1024)
        self.fc2, self.bn2 = nn.Linear(1024, 1024), nn.BatchNorm1d(1024)
        self.fc3 = nn.Linear(1024, 3 * points)

    def forward(self, codes):
        hidden = functional.relu(self.bn1(self.fc1(codes)))
        hidden = functional.relu(self.bn2(self.fc2(hidden)))
        return torch.tanh(self.fc3(hidden)).view(codes.shape[0], -1, 3)


class Autoencoder(nn.Module):
    """PointNet autoencoder. Linear weights Xavier uniform with bias 0.01, convolutions with PyTorch's default."""

    def __init__(self, points):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder(points)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.constant_(layer.bias, 0.01)

    def forward(self, clouds):
        return self.decoder(self.encoder(clouds))


class Attention(nn.Module):
    """Linformer attention of a cloud [B, m, 3], averaged over its points: [B, 3].

    softmax(Q K~^T / sqrt(d_k)) V~ with K~ = P_K K + c_K and V~ = P_V V + c_V, P of shape k x m.
    """

    def __init__(self, points, rows, width):
        super().__init__()
        self.toqueries, self.tokeys = nn.Linear(3, width), nn.Linear(3, width)
        self.tovalues = nn.Linear(3, 3)
        self.Kproj, self.Vproj = nn.Linear(points, rows), nn.Linear(points, rows)
        for projection in (self.Kproj, self.Vproj):
            nn.init.xavier_normal_(projection.weight)

    def forward(self, clouds):
        queries = self.toqueries(clouds) / math.sqrt(self.toqueries.out_features)
        keys = self.Kproj(self.tokeys(clouds).transpose(1, 2))  # [B, d_k, k]
        values = self.Vproj(self.tovalues(clouds).transpose(1, 2)).transpose(1, 2)  # [B, k, 3]
        weights = torch.softmax(queries @ keys, dim=2)
        return (weights @ values).mean(dim=1)


class LinearAttention(nn.Module):
    """The LA amortizer: unit location [B, 3] of the directions for a pair of clouds, the same weights for both."""

    def __init__(self, points, rows=64, width=64):
        super().__init__()
        self.attn = Attention(points, rows, width)

    def forward(self, x, y):
        location = (self.attn(x) + self.attn(y)) / 2
        return location / location.norm(dim=1, keepdim=True)


def sliced_costs(x, y, directions):
    """F for every pair and direction, [B, L]. Directions [B, L, 3]."""
    a = torch.sort(directions @ x.transpose(1, 2), dim=2)[0]
    b = torch.sort(directions @ y.transpose(1, 2), dim=2)[0]
    return (a - b).square().sum(dim=2)


def uniform_directions(batch, slices):
    """Uniform unit vectors [B, L, 3]."""
    normals = torch.randn(batch, slices, 3)
    return normals / normals.norm(dim=2, keepdim=True)


def vmf_noise(batch, slices):
    """u uniform [B, L] and tangent normals [B, L, 2] for vmf_directions."""
    return torch.rand(batch, slices), torch.randn(batch, slices, 2)


def vmf_directions(location, kappa, u, normals):
    """von Mises-Fisher samples [B, L, 3] around location [B, 3], by inversion (d = 3) and a Householder reflection."""
    omega = 1 + torch.logaddexp(u.log(), (1 - u).log() - 2 * kappa) / kappa
    tangent = normals / normals.norm(dim=2, keepdim=True)
    height = (1 - omega.square()).clamp(min=1e-10).sqrt()
    h = torch.cat([omega.unsqueeze(2), height.unsqueeze(2) * tangent], dim=2)
    reflector = location.new_tensor([1.0, 0.0, 0.0]) - location
    reflector = (reflector / (reflector.norm(dim=1, keepdim=True) + 1e-5)).unsqueeze(1)
    return h - 2 * (h * reflector).sum(dim=2, keepdim=True) * reflector


def _point_layer(inputs, outputs):
    return nn.Conv1d(inputs, outputs, 1), nn.BatchNorm1d(outputs), nn.ReLU()
