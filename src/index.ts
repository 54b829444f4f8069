export { loadConfig, type ConfigSources } from './config/load-config.ts';
export type { Config } from './config/settings.ts';
export { errorCatalog, HandrailError, type ErrorCode } from './domain/errors.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export type {
  NativeContext,
  NativeFeatures,
  NativePrompt,
  NativeResources,
  NativeTool,
} from './mcp/native.ts';
export {
  callTool,
  type CallableTool,
  type CallToolOptions,
  type CompiledTools,
  compileTools,
  type CompileToolsOptions,
  type ToolReply,
} from './mount/call-tool.ts';
export type { HostContext } from './mount/host.ts';
export {
  importDocument,
  type ImportDocumentOptions,
  type ImportedDocument,
} from './mount/import-document.ts';
export type { HostCall, HostFetch, MountLimits, ToolChanges, ToolInfo } from './mount/open-pipeline.ts';
export { version } from './version.ts';
