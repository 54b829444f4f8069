const width = 640;
const height = 300;
const left = 64;
const right = 185;
const top = 36;
const bottom = 44;

/** How a quantity grows: the exponent of size that fits the points best. 0 is flat, 1 linear. */
export function slopeOf(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(Math.max(y, 1e-6))]);
  const mean = (at) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length;
  const [x0, y0] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}

/** Curves over sizes, both on a logarithmic scale, as an SVG that fits light and dark pages. */
export function chart({ title, unit, sizes, curves }) {
  const values = curves.flatMap(({ points }) => points.map(([, y]) => y));
  const from = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...values) * 1.01));
  const scale = (value, low, high, start, end) =>
    start + ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low) || 1)) * (end - start);
  const x = (size) => scale(size, sizes[0], sizes.at(-1), left, width - right).toFixed(1);
  const y = (value) => scale(value, from, to, height - bottom, top).toFixed(1);
  const ticks = [];
  for (let tick = from; tick <= to; tick *= 10) ticks.push(tick);
  const count = (value) => value.toLocaleString('en', { maximumFractionDigits: 2 });
  const ends = spread(curves.map(({ points }) => Number(y(points.at(-1)[1]))));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ccc}polyline{fill:none;stroke-width:2}.c0{stroke:#1f5fbf}.c1{stroke:#b3541e}.c2{stroke:#2b7a3d}.c3{stroke:#7a3d99}
@media (prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.c0{stroke:#7fb0ff}.c1{stroke:#f0a070}.c2{stroke:#7fd090}.c3{stroke:#cf9fe8}}</style>
<text x="${left}" y="18">${title}, ${unit}</text>
${ticks.map((tick) => `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${left - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${count(tick)}</text>`).join('\n')}
${sizes.map((size) => `<text x="${x(size)}" y="${height - bottom + 20}" text-anchor="middle">${count(size)}</text>`).join('\n')}
${curves
  .map(
    ({ name, points }, n) =>
      `<polyline class="c${n % 4}" points="${points.map(([size, value]) => `${x(size)},${y(value)}`).join(' ')}"/><text x="${width - right + 8}" y="${ends[n] + 4}">${name} (${shown(slopeOf(points))})</text>`,
  )
  .join('\n')}
</svg>
`;
}

/** An exponent, without a minus before zero. */
export const shown = (slope) =>
  slope
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace('-', '−');

/** Labels that would overlap move apart. */
function spread(heights) {
  const order = heights.map((value, n) => [value, n]).sort(([one], [other]) => one - other);
  const placed = [];
  let last = -Infinity;
  for (const [value, n] of order) {
    last = Math.max(value, last + 15);
    placed[n] = last;
  }
  return placed;
}
