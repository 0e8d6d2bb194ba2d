"""The two deterministic training runs behind the reference numbers: all weights hashed, all noise given."""

import torch

import hashed
import model
import steps

BATCH_NORMS = {
    "bn1": "encoder.mlp1.1",
    "bn2": "encoder.mlp1.4",
    "bn3": "encoder.mlp2.1",
    "bn4": "encoder.mlp2.4",
    "bn5": "encoder.mlp2.7",
    "dbn1": "decoder.bn1",
    "dbn2": "decoder.bn2",
}


def autoencoder_run(x, theta, seed, dtype):
    """Forward in eval mode, two SGD steps on the sliced loss, forwards in train and eval mode.

    x float32 [B, m, 3], theta float32 [B, L, 3]; returns arrays under the keys of autoencoder.npz.
    """
    x, theta = torch.from_numpy(x).to(dtype), torch.from_numpy(theta).to(dtype)
    net = _autoencoder(x.shape[1], seed, dtype)
    optimizer = steps.autoencoder_optimizer(net)
    out = {"ck_w0": _weights(net)}
    out["latent_eval0"], out["recon_eval0"] = _evaluate(net, x)
    losses = []
    for step in range(3):
        net.train()
        latent = net.encoder(x)
        recon = net.decoder(latent)
        costs = model.sliced_costs(x, recon, theta)
        losses.append(costs.mean().item())
        if step == 0:
            out["latent_train"], out["recon_train"] = latent, recon
            out["F_mean_slices0"] = costs.mean(dim=1)
            _buffers(net, "bn0", out)
        if step == 2:
            _buffers(net, "bn2", out)
            break
        optimizer.zero_grad()
        costs.mean().backward()
        if step == 0:
            out["grad_conv1_w"] = net.encoder.mlp1[0].weight.grad.squeeze(2).clone()
            out["grad_fc3_b"] = net.decoder.fc3.bias.grad.clone()
        out[f"ck_grad{step}"] = hashed.checksums([p.grad for p in net.parameters()])
        optimizer.step()
        out[f"ck_w{step + 1}"] = _weights(net)
    out["loss"] = torch.tensor(losses, dtype=torch.float64)
    out["latent_eval2"], out["recon_eval2"] = _evaluate(net, x)
    return _arrays(out)


def trace_run(x, u, normals, seed, seed_la, rows, width, dtype):
    """Three steps of linear-attention amortized v-DSW: ascent of the amortizer, then descent of the autoencoder.

    x float32 [S, B, m, 3]; u [S, 2, B, L] and normals [S, 2, B, L, 2] with the noise of the ascent, then of the descent.
    """
    x, u, normals = (torch.from_numpy(a).to(dtype) for a in (x, u, normals))
    net = _autoencoder(x.shape[2], seed, dtype)
    amortizer = model.LinearAttention(x.shape[2], rows, width)
    hashed.fill_amortizer(amortizer, seed_la)
    amortizer = amortizer.to(dtype)
    optimizer, ascent = steps.autoencoder_optimizer(net), steps.amortizer_optimizer(amortizer)
    out = {"ck_ae0": _weights(net), "ck_la0": _weights(amortizer)}
    history = {key: [] for key in ("J", "loss", "eps_before", "eps_after", "ck_ae", "ck_la")}
    for s in range(x.shape[0]):
        noise = [(u[s, i], normals[s, i]) for i in range(2)]
        results = steps.amortized_step(net, optimizer, amortizer, ascent, x[s], *noise)
        for key, value in zip(history, (*results, _weights(net), _weights(amortizer))):
            history[key].append(torch.as_tensor(value).double())
    out.update({key: torch.stack(values) for key, values in history.items()})
    return _arrays(out)


def _autoencoder(points, seed, dtype):
    net = model.Autoencoder(points)
    hashed.fill_autoencoder(net, seed)
    return net.to(dtype)


def _evaluate(net, x):
    net.eval()
    with torch.no_grad():
        latent = net.encoder(x)
        return latent, net.decoder(latent)


def _weights(net):
    return hashed.checksums(list(net.parameters()))


def _buffers(net, prefix, out):
    for name, path in BATCH_NORMS.items():
        layer = net.get_submodule(path)
        out[f"{prefix}_{name}_mean"] = layer.running_mean.clone()
        out[f"{prefix}_{name}_var"] = layer.running_var.clone()


def _arrays(results):
    return {k: v.detach().double().numpy() if torch.is_tensor(v) else v for k, v in results.items()}
