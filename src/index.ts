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
export { version } from './version.ts';
