import type { AccessKey } from '../../api/resources.ts';

const soonMs = 7 * 86_400_000;

/** Whether a key works, and whether it expires soon. */
export function keyState(
  key: Pick<AccessKey, 'revokedAt' | 'expiresAt'>,
  nowMs: number,
): 'active' | 'ending' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt === undefined) return 'active';
  const leftMs = Date.parse(key.expiresAt) - nowMs;
  return leftMs <= 0 ? 'expired' : leftMs < soonMs ? 'ending' : 'active';
}
