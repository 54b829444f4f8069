/**
 * Names under which callers of the library mcp-embedded-ui know what is here, so that changing the import is all they do.
 */
import { pageTemplate } from './page-document.js';
import { renderPage } from './page.ts';
import { buildUIRoutes } from './routes.ts';
import type { Route, ToolCallHandler, ToolsProvider, UIConfig } from './types.ts';

/** @deprecated `buildUIRoutes` under its earlier name; says so on the console. */
export function buildMcpUIRoutes(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: UIConfig = {},
): Route[] {
  // oxlint-disable-next-line no-console -- whoever calls it is to read this
  console.warn(
    '[@handrail/explorer] buildMcpUIRoutes is deprecated: use buildUIRoutes, which takes the same.',
  );
  return buildUIRoutes(tools, handleCall, config);
}

/** @deprecated The page with `{{TITLE}}`, `{{ALLOW_EXECUTE}}` and `{{PROJECT_LINK}}` left open; `renderExplorerHtml` fills them in. */
export const EXPLORER_HTML_TEMPLATE: string = pageTemplate
  .replace('{{MODES}}', '')
  .replace('{{ABOUT}}', 'false');

/** @deprecated The page as one document; `createHandler` serves it with the headers that protect it. */
export function renderExplorerHtml(
  title?: string,
  allowExecute = false,
  projectName?: string,
  projectUrl?: string,
): string {
  return renderPage({
    allowExecute,
    ...(title !== undefined && { title }),
    ...(projectName !== undefined && { projectName }),
    ...(projectUrl !== undefined && { projectUrl }),
  });
}
