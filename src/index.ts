export { loadConfig, type ConfigSources } from './config/load-config.ts';
export type { Config } from './config/settings.ts';
export { errorCatalogue, HandrailError, type ErrorCode } from './domain/errors.ts';
export { createGateway, type Gateway } from './gateway.ts';
export { version } from './version.ts';
