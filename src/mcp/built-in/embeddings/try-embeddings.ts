import type { Config } from '../../../config/settings.ts';
import { toHandrailError } from '../../../domain/errors.ts';
import { createEgressGuard } from '../../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../../upstream/fetch-guarded.ts';
import { createEmbed } from './embeddings-endpoint.ts';

/** Calls the embeddings endpoint once, the way a search does, and reports whether and how it answers. */
export async function tryEmbeddings(
  config: Pick<
    Config,
    'embeddingsModel' | 'embeddingsKey' | 'embeddingsTimeoutMs' | 'egressAllow' | 'httpsProxy'
  >,
  url: string,
): Promise<{ readonly ok: boolean; readonly detail: string }> {
  const { embeddingsModel: model, embeddingsKey: key, embeddingsTimeoutMs, egressAllow, httpsProxy } = config;
  const guard = createEgressGuard({
    allow: egressAllow,
    ...(httpsProxy !== undefined && { proxy: httpsProxy }),
  });
  const { fetch, close } = createFetchGuarded({ guard, now: Date.now });
  try {
    const [vector] = await createEmbed(fetch, { url, model, key })(['list orders'], embeddingsTimeoutMs);
    return { ok: true, detail: `${model} returns ${vector!.length} numbers per text` };
  } catch (error) {
    return { ok: false, detail: `search uses words alone: ${toHandrailError(error).message}` };
  } finally {
    await close();
  }
}
