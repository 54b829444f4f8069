/** Creates something once per language, on first use. */
export function oncePerLanguage<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    let found = made.get(language);
    if (found === undefined) made.set(language, (found = make(language)));
    return found;
  };
}
