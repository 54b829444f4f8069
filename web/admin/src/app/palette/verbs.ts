/** What can be done to something by typing it. */
export type Verb = 'disable' | 'enable' | 'try' | 'calls' | 'rotate';

const words: Readonly<Record<string, Verb>> = {
  disable: 'disable',
  desactivar: 'disable',
  enable: 'enable',
  activar: 'enable',
  try: 'try',
  probar: 'try',
  calls: 'calls',
  llamadas: 'calls',
  rotate: 'rotate',
  rotar: 'rotate',
};

/** The verb and what it is about, such as "disable deleteItem" or "rotate key for cursor"; null for anything else. */
export function verbOf(typed: string): { readonly verb: Verb; readonly about: string } | null {
  const [, word = '', rest = ''] = /^\s*(\S+)\s+(.+)$/.exec(typed) ?? [];
  const verb = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined;
  if (verb === undefined) return null;
  const about = rest.replace(
    /^(?:(?:the|a|la|el|una|un)\s+)?(?:key|tool|clave|herramienta)?\s*(?:for|of|to|de|para)?\s+/i,
    '',
  );
  return { verb, about: about.trim() };
}
