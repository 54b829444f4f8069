import type { TextKey } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.tsx';

/** Who caused an error: the model with its arguments, the API, or the gateway and how it is configured. */
export type Fault = 'agent' | 'api' | 'gateway';

// A short list, because the first page needs it; a test compares it with the gateway's.
const ofApi = /^(?:upstream_(?:unreachable|timeout|status)|reply_too_large|reply_invalid|circuit_open)$/;
const ofGateway =
  /^(?:credential_missing|credential_unreadable|login_failed|egress_refused|upstream_redirect|loop_detected|overloaded|script_interrupted|config_invalid|store_\w+|unavailable|internal)$/;

/** Whose fault an outcome is; null unless it is an error. */
export function faultOf(outcome: string): Fault | null {
  if (outcome === 'ok' || outcome === 'waiting') return null;
  return ofApi.test(outcome) ? 'api' : ofGateway.test(outcome) ? 'gateway' : 'agent';
}

/** Names outcomes in words; a code of a newer gateway stays a code. */
export function useOutcomeText(): (outcome: string) => string {
  const { t, has } = useLanguage();
  return (outcome) => {
    if (outcome === 'ok' || outcome === 'waiting') return t(`calls.${outcome}`);
    const key = `outcome.${outcome}`;
    return has(key) ? t(key satisfies TextKey) : outcome.replaceAll('_', ' ');
  };
}
