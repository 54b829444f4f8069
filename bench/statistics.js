/** Lower quartile, median and upper quartile. */
export function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q) => {
    const position = (sorted.length - 1) * q;
    const low = Math.floor(position);
    return sorted[low] + (sorted[Math.ceil(position)] - sorted[low]) * (position - low);
  };
  return [at(0.25), at(0.5), at(0.75)];
}

export function median(values) {
  return quartiles(values)[1];
}

/** A ratio as median and quartiles. */
export function showRatio([low, middle, high]) {
  return `${middle.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
}

/** A row of a Markdown table. */
export function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** The head of a Markdown table. */
export function head(names) {
  return `${row(names)}\n|${'---|'.repeat(names.length)}`;
}

export const whole = (number) => Math.round(number).toLocaleString('en');
