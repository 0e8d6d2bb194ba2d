# A loss of one's own, and a training on it.
def means(x, y):
    return (x - y).mean(1).square().sum(-1)


train(means, clouds, "runs/means")
