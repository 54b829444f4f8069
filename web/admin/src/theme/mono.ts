/** Styles for inputs that contain code. */
export const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } } as const;
