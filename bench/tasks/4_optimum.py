# The trained amortizer's location against the best direction of all, on the sphere.
polar, azimuth = torch.meshgrid(torch.linspace(0, np.pi, 91), torch.linspace(-np.pi, np.pi, 181), indexing="ij")
grid = torch.stack([polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()], -1)
cost = torch.stack([sliced(a, b, theta[None, None]) for theta in grid.reshape(-1, 3)]).reshape(polar.shape)
best = grid.reshape(-1, 3)[cost.argmax()].clone().requires_grad_()
adam = torch.optim.Adam([best], lr=1e-3)
for _ in range(200):
    adam.zero_grad()
    (-sliced(a, b, F.normalize(best, dim=0)[None, None]).sum()).backward()
    adam.step()
best = F.normalize(best.detach(), dim=0)
with torch.no_grad():
    location = la(a, b)[0]
reached, highest = (sliced(a, b, theta[None, None]).item() for theta in (location, best))
angle = np.degrees(np.arccos(min(1, abs((location @ best).item()))))
print(f"LA reaches {100 * reached / highest:.3g} % of {highest:.4g}; the axes are {angle:.3g}° apart")
plt.figure().add_subplot(projection="mollweide").pcolormesh(azimuth, np.pi / 2 - polar, cost)
for theta, marker in ((location, "x"), (best, "o")):
    for v in (theta, -theta):
        plt.plot(torch.atan2(v[1], v[0]), torch.asin(v[2]), marker, color="white", fillstyle="none")
plt.show()
