import os
import signal

import matplotlib.pyplot as plt
import numpy as np
import ot
import torch
from torch import nn
from torch.nn import functional as F
from tqdm.auto import tqdm
