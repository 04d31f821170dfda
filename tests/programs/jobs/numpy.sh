# SPDX-License-Identifier: MIT
python3 - <<'END'
import numpy as np
a = np.arange(90000, dtype=float).reshape(300, 300) % 17
print(int((a @ a).sum()), np.sort(a.ravel())[::9000])
print(np.round(np.linalg.eigvalsh(np.array([[2., 1, 0], [1, 2, 1], [0, 1, 2]])), 10))
print(np.abs(np.fft.fft(np.ones(64)))[:3], np.random.default_rng(7).integers(0, 100, 8))
print(np.cumsum(np.arange(10) ** 3), np.float32(1) / 3)
END
