# Sliced Wasserstein of two clouds, with its error over directions.
x, y = np.load("x.npy"), np.load("y.npy")
_, log = ot.sliced_wasserstein_distance(x, y, n_projections=100, seed=1, log=True)
costs = log["projected_emds"]
print(f"SW_2^2 {costs.mean():.6g} ± {costs.std(ddof=1) / len(costs) ** 0.5:.2g}, mean over points")
