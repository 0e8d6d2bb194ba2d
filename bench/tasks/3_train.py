# Training on LA v-DSW, on a folder: progress, checkpoints, and it goes on where it was.
def block(*widths):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Conv1d(inputs, outputs, 1), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class Autoencoder(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.features = block(3, 64, 64, 64, 128, 1024)
        self.code = nn.Linear(1024, 256)
        self.decoder = nn.Sequential(
            nn.Linear(256, 1024), nn.BatchNorm1d(1024), nn.ReLU(),
            nn.Linear(1024, 1024), nn.BatchNorm1d(1024), nn.ReLU(),
            nn.Linear(1024, 3 * points), nn.Tanh(), nn.Unflatten(1, (points, 3)),
        )
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.constant_(layer.bias, 0.01)

    def forward(self, clouds):
        return self.decoder(F.normalize(self.code(self.features(clouds.transpose(1, 2)).amax(2)), dim=1))


class LinearAttention(nn.Module):
    def __init__(self, points, width=64, rows=64):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(3, width), nn.Linear(3, width), nn.Linear(3, 3)
        self.key_rows, self.value_rows = nn.Linear(points, rows), nn.Linear(points, rows)

    def pooled(self, clouds):
        keys = self.key_rows(self.key(clouds).transpose(1, 2))
        values = self.value_rows(self.value(clouds).transpose(1, 2)).transpose(1, 2)
        weights = torch.softmax(self.query(clouds) @ keys / keys.shape[1] ** 0.5, dim=2)
        return (weights @ values).mean(1)

    def forward(self, x, y):
        return F.normalize(self.pooled(x) + self.pooled(y), dim=1)


def vdsw(kappa=1, slices=100):
    return lambda x, y, location: sliced(x, y, vmf(location, kappa, slices))


def load(folder):
    clouds = np.stack([np.load(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]).astype(np.float32)
    clouds -= clouds.mean(1, keepdims=True)
    return torch.tensor(clouds / np.linalg.norm(clouds, axis=2).max(1)[:, None, None])


def train(loss, clouds, folder, amortizer=None, epochs=3, batch=32, rate=1e-3, every=50, seed=1, stopped=lambda: False):
    torch.manual_seed(seed)
    model = Autoencoder(clouds.shape[1])
    parts = {"model": model, "adam": torch.optim.Adam(model.parameters(), lr=rate)}
    if amortizer is not None:
        parts.update(amortizer=amortizer, climber=torch.optim.Adam(amortizer.parameters(), lr=rate))
    losses, path = [], os.path.join(folder, "checkpoint.pt")

    def save():
        os.makedirs(folder, exist_ok=True)
        state = {name: part.state_dict() for name, part in parts.items()}
        torch.save(dict(state, losses=losses, random=torch.get_rng_state()), path + ".new")
        os.replace(path + ".new", path)

    if os.path.exists(path):
        state = torch.load(path, weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(state[name])
        losses = state["losses"]
        torch.set_rng_state(state["random"])
    per_epoch = len(clouds) // batch
    bar = tqdm(total=epochs * per_epoch, initial=len(losses))
    while len(losses) < epochs * per_epoch and not stopped():
        epoch, at = divmod(len(losses), per_epoch)
        order = torch.randperm(len(clouds), generator=torch.Generator().manual_seed(1000 * seed + epoch))
        x = clouds[order[at * batch : (at + 1) * batch]]
        if amortizer is not None:
            parts["climber"].zero_grad()
            (-loss(x, model(x).detach(), amortizer(x, model(x).detach())).mean()).backward()
            parts["climber"].step()
        parts["adam"].zero_grad()
        y = model(x)
        value = (loss(x, y) if amortizer is None else loss(x, y, amortizer(x, y).detach())).mean()
        value.backward()
        parts["adam"].step()
        losses.append(value.item())
        bar.update()
        bar.set_postfix(loss=losses[-1])
        if len(losses) % every == 0:
            save()
    save()
    return model, amortizer, losses


def draw(model, clouds, losses):
    with torch.no_grad():
        outputs = model.eval()(clouds[:4])
    plt.figure(figsize=(9, 7))
    plt.subplot(3, 1, 1)
    plt.semilogy(losses)
    for i in range(4):
        for row, cloud in enumerate((clouds[i], outputs[i])):
            plt.subplot(3, 4, 5 + 4 * row + i, projection="3d")
            plt.gca().scatter(*cloud.T, s=1)
    plt.show()


clouds = load("clouds")
model, la, losses = train(vdsw(), clouds, "runs/la", amortizer=LinearAttention(clouds.shape[1]))
draw(model, clouds, losses)
