/** What the server tells the page about itself, in attributes of its root element and a line of its body. */
export interface Settings {
  title: string;
  allowExecute: boolean;
  /** Other ways in which clients see the tools. */
  modes: readonly string[];
  /** Whether the server answers what it is for. */
  about: boolean;
  /** Whose tools these are, as the server wrote it; nothing when it did not say. */
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
