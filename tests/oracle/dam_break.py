# SPDX-License-Identifier: Apache-2.0
"""A dam that breaks, of an ideal fluid: potential flow with a free surface, by boundary elements.

A column of water, 1 wide and 2 high, is let go beside the wall x = 0 on the floor y = 0; there is no
friction, and gravity is 1. Inside, the Laplacian of the potential vanishes; on the surface, marked by
points that move with the fluid,

    dX/dt = grad phi,    d phi/dt = |grad phi|^2 / 2 - y      (Longuet-Higgins and Cokelet 1976)

Sources on straight panels between the points and on their images in wall and floor give phi at the
middles of panels, and from them the velocity there (Hess and Smith 1967). Points are put at even
distances again after every step, and what alternates from one to the next is filtered out.

It holds until the front becomes a film that is thinner than the panels. Usage: dam_break.py [test]
prints the table that tests/physics/test_mpm_fluids.c has, and compares both.
"""
import re
import sys

SKIPPED = 77
PANELS = 60
FINER = 0.5  # panels at the front are a third as long as those at the wall
STRAIGHT = 8  # panels at the front between which points are interpolated linearly
DEPTH = 0.1  # of water that counts as the front
COURANT = 0.3
ALLOWED = 0.01  # of the table, which has what 90 and 120 panels agree on; 60 are within 0.7 %

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(SKIPPED)


def panel_integrals(points, start, end):
    """Of log r over each panel, and the gradients of that: [points][panels] and [..][2]."""
    along = end - start
    length = np.hypot(*along.T)
    along = along / length[:, None]
    normal = np.stack([along[:, 1], -along[:, 0]], 1)
    arm = points[:, None, :] - start[None]
    u, v = (arm * along).sum(2), (arm * normal).sum(2)
    rest = u - length
    near, far = 0.5 * np.log(u**2 + v**2), 0.5 * np.log(rest**2 + v**2)
    angle = np.arctan2(v * length, v**2 + u * rest)
    value = u * near - rest * far - length + v * angle
    return value, (near - far)[..., None] * along + angle[..., None] * normal


def middle_velocities(surface, phi):
    """At the middles of panels, just inside the fluid, which is to the right of the surface."""
    start, end = surface[:-1], surface[1:]
    middles, count = 0.5 * (start + end), len(start)
    values, gradients = np.zeros((count, count)), np.zeros((count, count, 2))
    for image in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        value, gradient = panel_integrals(middles, start * image, end * image)
        if image == (1, 1):
            # a panel's own gradient is normal to it, half a turn of the angle
            along = (end - start) / np.hypot(*(end - start).T)[:, None]
            own = np.arange(count)
            gradient[own, own] = np.pi * np.stack([along[:, 1], -along[:, 0]], 1)
        values += value
        gradients += gradient
    sources = np.linalg.solve(values, 0.5 * (phi[1:] + phi[:-1]))
    return np.einsum("ijk,j->ik", gradients, sources)


def velocities(surface, phi):
    """At the points: between those of neighbouring panels; ends stay on wall and floor."""
    length = np.hypot(*np.diff(surface, axis=0).T)
    middle = middle_velocities(surface, phi)
    v = np.zeros_like(surface)
    weight = (length[:-1] / (length[:-1] + length[1:]))[:, None]
    v[1:-1] = middle[:-1] * (1 - weight) + middle[1:] * weight
    v[0, 1] = middle[0, 1]
    v[-1, 0] = middle[-1, 0] + (middle[-1, 0] - middle[-2, 0]) * length[-1] / (length[-1] + length[-2])
    return v


def hermite(s, y, t):
    slope = np.gradient(y, s)
    k = np.clip(np.searchsorted(s, t) - 1, 0, len(s) - 2)
    h = s[k + 1] - s[k]
    u = (t - s[k]) / h
    return ((1 + 2 * u) * (1 - u) ** 2 * y[k] + u * (1 - u) ** 2 * h * slope[k]
            + u**2 * (3 - 2 * u) * y[k + 1] + u**2 * (u - 1) * h * slope[k + 1])


def spread(surface, phi):
    """Points at even distances, denser towards the front."""
    s = np.r_[0, np.cumsum(np.hypot(*np.diff(surface, axis=0).T))]
    part = np.linspace(0, 1, PANELS + 1)
    t = s[-1] * (part * (1 + FINER) - FINER * part**2)
    is_front = t > s[-1] - STRAIGHT * (s[-1] - t[-2])

    def moved(y):
        return np.where(is_front, np.interp(t, s, y), hermite(s, y, t))

    return np.stack([moved(surface[:, 0]), moved(surface[:, 1])], 1), moved(phi)


def filtered(y, parity):
    """Without what alternates: a sixteenth of the fourth difference; y is even or odd at the wall."""
    e = np.r_[parity * y[2], parity * y[1], y, 2 * y[-1] - y[-2], 2 * y[-1] - y[-3]]
    smooth = y - (e[:-4] - 4 * e[1:-3] + 6 * e[2:-2] - 4 * e[3:-1] + e[4:]) / 16
    smooth[0], smooth[-1] = y[0], y[-1]
    return smooth


def rates(surface, phi):
    v = velocities(surface, phi)
    return v, 0.5 * (v**2).sum(1) - surface[:, 1]


def longest_step(surface, v):
    length = np.hypot(*np.diff(surface, axis=0).T)
    strain = np.hypot(*np.diff(v, axis=0).T)
    return min(0.02, COURANT * np.min(length / (1e-3 + strain + 0.3 * np.hypot(*v[1:].T))))


def step(surface, phi, longest):
    """One of Runge and Kutta's fourth order; returns how long it was."""
    v1, f1 = rates(surface, phi)
    dt = min(longest, longest_step(surface, v1))
    v2, f2 = rates(surface + 0.5 * dt * v1, phi + 0.5 * dt * f1)
    v3, f3 = rates(surface + 0.5 * dt * v2, phi + 0.5 * dt * f2)
    v4, f4 = rates(surface + dt * v3, phi + dt * f3)
    surface = surface + dt / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
    phi = phi + dt / 6 * (f1 + 2 * f2 + 2 * f3 + f4)
    surface[:, 1] = np.maximum(surface[:, 1], 0)
    surface, phi = spread(surface, phi)
    surface = np.stack([filtered(surface[:, 0], -1), filtered(surface[:, 1], 1)], 1)
    return surface, filtered(phi, 1), dt


def front(surface):
    """The farthest place that is DEPTH deep."""
    x, y = surface.T
    k = np.nonzero(y >= DEPTH)[0][-1]
    return x[k] + (x[k + 1] - x[k]) * (y[k] - DEPTH) / (y[k] - y[k + 1])


def break_dam(times):
    """Fronts in widths and heights in parts of the first, at times t sqrt(2 g / a)."""
    third = PANELS // 3
    top = np.c_[np.linspace(0, 1, third + 1), np.full(third + 1, 2.0)]
    side = np.c_[np.ones(2 * third), np.linspace(2, 0, 2 * third + 1)[1:]]
    surface, phi = spread(np.r_[top, side], np.zeros(3 * third + 1))
    now, fronts, heights = 0.0, [], []
    for time in times:
        while now < time / np.sqrt(2) - 1e-9:
            surface, phi, dt = step(surface, phi, time / np.sqrt(2) - now)
            now += dt
        fronts.append(front(surface))
        heights.append(surface[0, 1] / 2)
    return fronts, heights


def table(text, name):
    return [float(word) for word in re.search(name + r"\[.*?\{(.*?)\}", text, re.S)[1].split(",")]


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    times, wanted = table(text, "ideal_times"), (table(text, "ideal_fronts"), table(text, "ideal_heights"))
    wrong = 0
    for k, pair in enumerate(zip(*break_dam(times))):
        print(f"T {times[k]:.2f}: front {pair[0]:.3f}, height {pair[1]:.3f}")
        for got, want in zip(pair, (wanted[0][k], wanted[1][k])):
            if abs(got / want - 1) > ALLOWED:
                print(f"    but the table has {want:.3f}")
                wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
