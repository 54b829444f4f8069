import { isLoopback } from '../lib/network/address-list.ts';
import type { Config } from './settings.ts';

/** Whether only programs of this machine can reach the gateway: it listens on loopback, and no proxy forwards to it. */
export function isPrivateToThisMachine(config: Pick<Config, 'host' | 'publicUrl' | 'trustProxy'>): boolean {
  if (!isLoopback(config.host) || config.trustProxy.length > 0) return false;
  return config.publicUrl === undefined || isLoopback(new URL(config.publicUrl).hostname);
}
