/** Names from the library mcp-embedded-ui, so that switching to this package only takes a changed import. */
import { pageTemplate } from './page-document.js';
import { renderPage } from './page.ts';
import { buildUIRoutes } from './routes.ts';
import type { Route, ToolCallHandler, ToolsProvider, UIConfig } from './types.ts';

/** @deprecated `buildUIRoutes` under its earlier name; warns on the console. */
export function buildMcpUIRoutes(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: UIConfig = {},
): Route[] {
  // oxlint-disable-next-line no-console -- the caller should see this
  console.warn(
    '[@handrail/explorer] buildMcpUIRoutes is deprecated. Use buildUIRoutes, which takes the same arguments.',
  );
  return buildUIRoutes(tools, handleCall, config);
}

/**
 * @deprecated The page with the placeholders `{{TITLE}}`, `{{ALLOW_EXECUTE}}` and `{{PROJECT_LINK}}`;
 * `renderExplorerHtml` fills them in.
 */
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
