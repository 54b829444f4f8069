import type { LookUps } from '../../code/script-host.ts';
import { directoryOf } from '../../code/tool-directory.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Replies } from '../../replies/open-replies.ts';
import type { BuiltInWatch } from './built-in-tools.ts';
import { readReplyPart } from './read-reply.ts';
import { indexingNote, readQuery, refusedNote, resultOf } from './search-tools.ts';
import type { ToolSearch } from './tool-search.ts';

/** Lookups for scripts: the same as for models, with the same limits, as data. */
export function createScriptLookUps(search: ToolSearch, replies: Replies, watch: BuiltInWatch): LookUps {
  return {
    async search(view, { caller }, args) {
      await watch.admit(view.server, caller, 'look-up');
      const query = readQuery(args);
      if ('content' in query) throw new HandrailError('invalid_arguments', wordsOf(query.content));
      const { tools, isIndexing } = await search.find(view, caller, query);
      const { pathOf } = directoryOf(view);
      const results = tools.map((found) => {
        const { isRefused, ...shown } = resultOf(found, { pathOf, server: view.server });
        const { name, signature, description, kind, needs } = shown;
        const note = isRefused ? refusedNote : undefined;
        return { name, path: pathOf(found.listed), signature, description, kind, needs, note };
      });
      return { results, ...(isIndexing && { note: indexingNote }) };
    },

    async read(view, { caller }, args) {
      await watch.admit(view.server, caller, 'read');
      const part = await readReplyPart(replies, view, caller, args, Infinity);
      if (typeof part === 'string') throw new HandrailError('invalid_arguments', part);
      return valueOf(part.text);
    },
  };
}

function valueOf(text: string): unknown {
  if (!/^\s*[[{"\d-]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function wordsOf(content: readonly { readonly type: string }[]): string {
  return content.map((part) => ('text' in part ? String(part.text) : '')).join('\n');
}
