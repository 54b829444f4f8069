// Reads a Dockerfile into its stages: as much of the format as ours uses, and an error for the rest.

/** The stages of a Dockerfile, each with its name, what it is from and its steps. */
export function readDockerfile(text) {
  const stages = [];
  const joined = text
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.trim() !== '')
    .join('\n')
    .replaceAll('\\\n', ' ');
  for (const line of joined.split('\n')) {
    const [instruction, ...rest] = line.trim().split(/\s+/);
    const words = rest.filter((word) => !word.startsWith('--'));
    const flags = Object.fromEntries(
      rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')),
    );
    if (instruction === 'FROM') {
      stages.push({ image: words[0], name: words[2] ?? String(stages.length), steps: [] });
      continue;
    }
    stages
      .at(-1)
      .steps.push({ instruction, flags, words, text: line.trim().slice(instruction.length).trim() });
  }
  return stages;
}

/** The list of a step in its JSON form, such as CMD ["node", "a.js"]. */
export function execForm({ text }) {
  const list = JSON.parse(text.slice(text.indexOf('[')));
  if (!Array.isArray(list)) throw new Error(`${text} is not a list of words.`);
  return list;
}
