"""A training run whose loss turns NaN, because of one of 16.7 million values. Run it with dlscope and look. It needs PyTorch.

A model of one weight learns which pixels of a picture are bright, a strip of rows in each step. The run stops where the loss
is no longer a number. Select loss_map, open the heat map, and press N: it goes to the pixel. The comment at the end says why.
"""

import torch

torch.manual_seed(0)
SIDE, STRIP = 4096, 512

picture = torch.rand(SIDE, SIDE) * 2 - 1
picture[2600, 1234] = 40.0  # a broken pixel of the camera
bright = (picture > 0).float()

weight = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=2.0)
loss_map = torch.zeros(SIDE, SIDE)  # the last loss of each pixel

for step in range(1, SIDE // STRIP + 1):
    rows = slice((step - 1) * STRIP, step * STRIP)
    probability = torch.sigmoid(weight * picture[rows])
    target = bright[rows]
    losses = -(target * torch.log(probability) + (1 - target) * torch.log(1 - probability))
    loss_map[rows] = losses.detach()
    loss = losses.mean()
    print(f"step {step}: loss {loss.item():.4f}")
    if not torch.isfinite(loss):
        breakpoint()
        break
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# sigmoid(40) is 1 in float32, so 1 - probability is 0, its logarithm -inf, and (1 - target) * -inf = 0 * -inf is NaN.
# torch.nn.functional.binary_cross_entropy_with_logits(weight * picture[rows], target) computes the same loss without that.
