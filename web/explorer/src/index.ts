export { createHandler } from './server/web-handler.ts';
export { createNodeHandler } from './server/node-handler.ts';
export { buildUIRoutes } from './server/routes.ts';
export { buildMcpUIRoutes, EXPLORER_HTML_TEMPLATE, renderExplorerHtml } from './server/mcp-embedded-ui.ts';
export type { NodeHandlerConfig, NodeRequest, NodeResponse } from './server/node-handler.ts';
export type {
  AudioContent,
  AuthHook,
  CallResult,
  Content,
  EmbeddedResource,
  ErrorSite,
  ImageContent,
  IncomingRequest,
  ResourceLink,
  Route,
  TextContent,
  Tool,
  ToolCallHandler,
  ToolCallReturn,
  ToolsProvider,
  UIConfig,
  ValidateResult,
  ValidationFailure,
} from './server/types.ts';
