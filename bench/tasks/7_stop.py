# The stop button ends a training after its step, with a checkpoint; the same call goes on.
class Stop:
    def __enter__(self):
        self.pressed, self.before = False, signal.signal(signal.SIGINT, self.press)
        return self

    def press(self, *_):
        self.pressed = True

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, self.before)


with Stop() as stop:
    amortizer = LinearAttention(clouds.shape[1])
    train(vdsw(), clouds, "runs/long", amortizer=amortizer, epochs=20, stopped=lambda: stop.pressed)
