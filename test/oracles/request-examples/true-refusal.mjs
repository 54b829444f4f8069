// Whether what Handrail says against an example is what the document's own schema, read by another validator, says too.

/**
 * `why` is the text a model reads: `a.b[0] must be …; c is required`. `toExample` turns the names of one of its places into
 * the names within the example, or false when it is about another argument.
 */
export function isTrueRefusal(why, errors, toExample) {
  const [sentence] = why.split('\n');
  // A field in another spelling than the document's own: its examples have such slips.
  const slips = [
    ...sentence.matchAll(/(\S+) is not an argument of this tool; did you mean (\S+?)(?: or \S+)?\?/g),
  ];
  if (slips.length > 0 && slips.every(([, given, meant]) => letters(given) === letters(meant))) return true;
  const places = sentence
    .split('; ')
    .map((part) => /^(\S+) (?:must|is|may|has|does)\b/.exec(part)?.[1])
    .filter((place) => place !== undefined && place !== 'closest');
  return (
    places.length > 0 &&
    places.every((place) => {
      const names = toExample(namesOf(place));
      if (names === false) return false;
      // Text that was read as the JSON it holds: the document has no text there at all.
      return errors.some((error) => isAbout(error, names) || (error.path === '' && error.keyword === 'type'));
    })
  );
}

function letters(name) {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function namesOf(place) {
  return place
    .replaceAll('"', '')
    .split(/[.[\]]+/)
    .filter((name) => name !== '');
}

const aboutChildren = new Set(['required', 'additionalProperties', 'propertyNames', 'patternProperties']);
const aboutBranches = new Set(['oneOf', 'anyOf', 'not', 'if']);

function isAbout({ path, keyword }, names) {
  const place = namesOf(path.replaceAll('/', '.').replaceAll('~1', '/')).join('.');
  const mine = names.join('.').replaceAll('/', '/');
  if (place === mine) return true;
  if (aboutChildren.has(keyword)) return names.slice(0, -1).join('.') === place;
  return aboutBranches.has(keyword) && (place === '' || mine.startsWith(`${place}.`));
}
