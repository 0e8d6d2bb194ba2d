# An amortizer of one's own, and a training with it: a linear map of the clouds' difference in mean square.
class Spread(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x, y):
        return F.normalize(self.linear(x.square().mean(1) - y.square().mean(1)), dim=1)


train(vdsw(), clouds, "runs/spread", amortizer=Spread())
