# SW and v-DSW over kappa x L: curves with bands over 20 seeds, and a PDF.
def uniform(batch, slices):
    return F.normalize(torch.randn(batch, slices, 3), dim=-1)


def vmf(location, kappa, slices):
    u = torch.rand(len(location), slices, 1)
    height = 1 + torch.logaddexp(u.log(), (1 - u).log() - 2 * kappa) / kappa
    normal = torch.randn(len(location), slices, 3)
    axis = location[:, None]
    tangent = F.normalize(normal - (normal * axis).sum(-1, keepdim=True) * axis, dim=-1)
    return height * axis + (1 - height.square()).clamp(min=1e-10).sqrt() * tangent


def sliced(x, y, theta):
    a, b = ((theta @ cloud.transpose(1, 2)).sort(-1).values for cloud in (x, y))
    return (a - b).square().sum(-1).mean(1)


def ascent(x, y, kappa, slices, steps=50, rate=1e-4):
    location = F.normalize(torch.randn(len(x), 3), dim=-1).requires_grad_()
    adam = torch.optim.Adam([location], lr=rate)
    for _ in range(steps):
        adam.zero_grad()
        (-sliced(x, y, vmf(location, kappa, slices)).sum()).backward()
        adam.step()
        location.data = F.normalize(location.data, dim=-1)
    return location.detach()


def repeated(value, repeats=20):
    out = []
    for seed in range(repeats):
        torch.manual_seed(seed)
        out.append(value().item())
    return np.mean(out), np.std(out, ddof=1)


a, b = (torch.tensor(cloud, dtype=torch.float32)[None] for cloud in (x, y))
L = [1, 10, 100, 1000]
curves = {"SW": [repeated(lambda: sliced(a, b, uniform(1, n))) for n in L]}
for kappa in [0.1, 1, 10, 100]:
    curves[f"v-DSW, κ {kappa}"] = [repeated(lambda: sliced(a, b, vmf(ascent(a, b, kappa, n), kappa, n))) for n in L]
for label, points in curves.items():
    mean, sd = np.array(points).T
    plt.plot(L, mean, label=label)
    plt.fill_between(L, mean - sd, mean + sd, alpha=0.2)
plt.xscale("log")
plt.xlabel("L")
plt.ylabel("W₂², sum over points")
plt.legend()
plt.savefig("kappa.pdf")
plt.show()
