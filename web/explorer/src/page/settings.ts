/** The page's settings, which the server writes into attributes of the root element and a line of the body. */
export interface Settings {
  title: string;
  allowExecute: boolean;
  /** Other modes in which clients see the tools. */
  modes: readonly string[];
  /** Whether the server describes itself. */
  about: boolean;
  /** The project name as the server wrote it; null if there is none. */
  project: Element | null;
}

/** Reads the settings. */
export function readSettings(): Settings {
  const { title = '', allowExecute, modes = '', about } = document.documentElement.dataset;
  const line = document.querySelector('#project');
  return {
    title,
    allowExecute: allowExecute === 'true',
    modes: modes.split(' ').filter(Boolean),
    about: about === 'true',
    project: line?.hasChildNodes() ? line : null,
  };
}
