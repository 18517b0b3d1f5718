"""The plot of bench: time and memory of every program against the size of the dSYM, as SVG.

Written by hand, so that no library is needed. Both axes are logarithmic; lines join the synthetic
dSYMs, hollow marks are real ones. Names stand at the ends of their lines.
"""
import math
from xml.sax.saxutils import escape

# Ours in one hue, the others in hues that differ in lightness, too.
COLOURS = {"machsym-atos": "#c1121f", "machsym-atos (ready msym)": "#f3722c", "machsym-atos (ready GSYM)": "#f9a03f",
           "llvm-symbolizer": "#1d3557", "llvm-gsymutil (ready index)": "#457b9d", "gimli addr2line": "#2a9d8f",
           "libbacktrace": "#6a4c93", "atosl-rs": "#8d6e63"}
SHORT = {"machsym-atos": "machsym", "machsym-atos (ready msym)": "machsym, msym",
         "machsym-atos (ready GSYM)": "machsym, GSYM", "llvm-gsymutil (ready index)": "llvm-gsymutil, index",
         "gimli addr2line": "gimli addr2line"}
PANELS = (("1", "wall", "One address: wall time, ms"), ("1", "rss", "One address: largest resident set, MB"),
          ("10,000 random", "cpu", "10,000 random addresses: CPU, ms"),
          ("10,000 random", "rss", "10,000 random addresses: largest resident set, MB"))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, HEAD = 620, 400, 62, 165, 44, 48, 66


class Axis:
    """A logarithmic one, from `low` to `high` in pixels."""

    def __init__(self, values, low, high, margin=1.25):
        self.a, self.b = math.log10(min(values) / margin), math.log10(max(values) * margin)
        self.low, self.high = low, high

    def at(self, value):
        part = (math.log10(value) - self.a) / (self.b - self.a)
        return self.low + part * (self.high - self.low)

    def ticks(self):
        steps = (1, 2, 5) if self.b - self.a < 2.6 else (1,)
        found = [m * 10.0 ** e for e in range(math.floor(self.a), math.ceil(self.b) + 1) for m in steps]
        return [t for t in found if self.a <= math.log10(t) <= self.b]


def number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def spread(places, room):
    """Heights of labels, moved as little as lets each have `room`."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    out = list(places)
    for _ in range(200):
        moved = False
        for a, b in zip(order, order[1:]):
            lack = room - (out[b] - out[a])
            if lack > 0.01:
                out[a] -= lack / 2
                out[b] += lack / 2
                moved = True
        if not moved:
            break
    return out


def panel(points, what, field, title, left, top):
    """SVG of one diagram; "" when there is nothing for it. points: (program, MB, synthetic, job, Row)."""
    mine = [(name, mb, made, row.median(field)) for name, mb, made, job, row in points
            if job == what and name in COLOURS and row.median(field) > 0]
    if not mine:
        return ""
    x0, x1, y0, y1 = left + LEFT, left + WIDTH - RIGHT, top + HEIGHT - BOTTOM, top + TOP
    x, y = Axis([m[1] for m in mine], x0, x1), Axis([m[3] for m in mine], y0, y1)
    out = [f'<text class="title" x="{x0}" y="{top + 26}">{escape(title)}</text>']
    for tick in y.ticks():
        out.append(f'<line class="grid" x1="{x0}" x2="{x1}" y1="{y.at(tick):.1f}" y2="{y.at(tick):.1f}"/>')
        out.append(f'<text class="tick" text-anchor="end" x="{x0 - 7}" y="{y.at(tick) + 4:.1f}">{number(tick)}</text>')
    for tick in x.ticks():
        out.append(f'<line class="grid" y1="{y0}" y2="{y1}" x1="{x.at(tick):.1f}" x2="{x.at(tick):.1f}"/>')
        out.append(f'<text class="tick" text-anchor="middle" x="{x.at(tick):.1f}" y="{y0 + 17}">{number(tick)}</text>')
    out.append(f'<text class="tick" text-anchor="middle" x="{(x0 + x1) / 2}" y="{y0 + 35}">size of the dSYM, MB</text>')
    ends = []
    for name, colour in COLOURS.items():
        dots = sorted((m[1], m[3]) for m in mine if m[0] == name and m[2])
        line = [(x.at(mb), y.at(value)) for mb, value in dots]
        width = 3 if name.startswith("machsym") else 1.8
        if len(line) > 1:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in line)
            out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{path}"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in line]
        real = sorted((x.at(m[1]), y.at(m[3])) for m in mine if m[0] == name and not m[2])
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.6" fill="white" fill-opacity="0.8" stroke="{colour}" '
                f'stroke-width="1.6"/>' for a, b in real]
        if line or real:
            ends.append((name, (line or real)[-1]))
    heights = spread([end[1] for _, end in ends], 15)
    for (name, (a, b)), height in zip(ends, heights):
        colour, weight = COLOURS[name], "bold" if name.startswith("machsym") else "normal"
        out.append(f'<line stroke="{colour}" stroke-opacity="0.45" x1="{a + 5:.1f}" y1="{b:.1f}" x2="{x1 + 9}" y2="{height:.1f}"/>')
        out.append(f'<text fill="{colour}" font-weight="{weight}" x="{x1 + 13}" y="{height + 4:.1f}">'
                   f'{escape(SHORT.get(name, name))}</text>')
    return "\n".join(out)


def svg(points, caption):
    """The whole picture; None when there are no look-ups to show."""
    drawn = [panel(points, what, field, title, (i % 2) * WIDTH, HEAD + (i // 2) * HEIGHT)
             for i, (what, field, title) in enumerate(PANELS)]
    if not any(drawn):
        return None
    width, height = 2 * WIDTH, HEAD + 2 * HEIGHT
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif" font-size="13">\n'
            "<style>.grid{stroke:#dde1e6;stroke-width:1}.tick{fill:#4a5560;font-size:12px}"
            ".title{font-size:15px;font-weight:bold;fill:#16202a}</style>\n"
            f'<rect width="{width}" height="{height}" fill="white"/>\n'
            f'<text x="{LEFT}" y="30" font-size="19" font-weight="bold" fill="#16202a">'
            "Time and memory against the size of the dSYM</text>\n"
            f'<text x="{LEFT}" y="52" fill="#4a5560">{escape(caption)}</text>\n' + "\n".join(drawn) + "\n</svg>\n")
