/** What the server tells the page about itself, in attributes of its root element. */
export interface Settings {
  title: string;
  allowExecute: boolean;
  projectName: string;
  projectUrl: string;
}

/** Reads the settings. */
export function readSettings(): Settings {
  const { title = '', allowExecute, projectName = '', projectUrl = '' } = document.documentElement.dataset;
  return { title, allowExecute: allowExecute === 'true', projectName, projectUrl };
}
