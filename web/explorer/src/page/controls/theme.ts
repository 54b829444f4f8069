import { recall, remember } from './preferences.ts';

export type Theme = 'light' | 'dark';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

/** Applies the remembered theme, or the system's, and follows the system until the user chooses one. */
export function startTheme(): void {
  apply(chosenTheme() ?? systemTheme());
  prefersDark.addEventListener('change', () => {
    if (chosenTheme() === null) apply(systemTheme());
  });
}

/** The current theme. */
export function currentTheme(): Theme {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

/** Switches to the other theme and remembers it. */
export function toggleTheme(): Theme {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  remember('theme', next);
  apply(next);
  return next;
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

function systemTheme(): Theme {
  return prefersDark.matches ? 'dark' : 'light';
}

function chosenTheme(): Theme | null {
  const chosen = recall('theme');
  return chosen === 'light' || chosen === 'dark' ? chosen : null;
}
