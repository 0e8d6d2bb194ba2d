# Trainings over kappa x L with three seeds, scored on held-out clouds: table and plot.
held_out = clouds[::5]
kept = clouds[[i for i in range(len(clouds)) if i % 5]]


def emd(x, y):
    cost = torch.cdist(x, y).double().numpy()
    weights = np.full(len(x), 1 / len(x))
    return len(x) * ot.emd2(weights, weights, cost)


def score(kappa, slices, seed):
    torch.manual_seed(seed)
    amortizer = LinearAttention(kept.shape[1])
    folder = f"runs/ablation-{kappa}-{slices}-{seed}"
    model, _, _ = train(vdsw(kappa, slices), kept, folder, amortizer=amortizer, seed=seed)
    with torch.no_grad():
        outputs = model.eval()(held_out)
    torch.manual_seed(0)
    directions = uniform(1, 1000).expand(len(held_out), -1, -1)
    return sliced(held_out, outputs, directions).mean().item(), np.mean([emd(x, y) for x, y in zip(held_out, outputs)])


rows = {}
for kappa in [0.1, 1, 10, 100]:
    for slices in [10, 100]:
        rows[kappa, slices] = np.array([score(kappa, slices, seed) for seed in (1, 2, 3)])
with open("ablation.tex", "w") as file:
    print(r"\begin{tabular}{rrrr}" + "\n" + r"$\kappa$ & $L$ & SW & EMD \\", file=file)
    for (kappa, slices), scores in rows.items():
        cells = [f"${m:.4g} \\pm {s:.2g}$" for m, s in zip(scores.mean(0), scores.std(0, ddof=1))]
        print(" & ".join([str(kappa), str(slices), *cells]) + r" \\", file=file)
    print(r"\end{tabular}", file=file)
print(open("ablation.tex").read())
plt.figure()
for slices in [10, 100]:
    mean, sd = np.array([(v[:, 1].mean(), v[:, 1].std(ddof=1)) for (_, n), v in rows.items() if n == slices]).T
    plt.errorbar([0.1, 1, 10, 100], mean, sd, label=f"L = {slices}")
plt.xscale("log")
plt.xlabel("κ")
plt.ylabel("EMD of held-out clouds")
plt.legend()
plt.savefig("ablation.pdf")
plt.show()
