/** Styles of an input whose text is code. */
export const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } } as const;
