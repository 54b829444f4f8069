import { asParsed, baseUrlFault } from '../../domain/fields/addresses.ts';
import { authScheme } from '../../domain/auth-scheme.ts';
import type { ApiDescription, DescribedOperation, ImportNote } from '../../domain/description.ts';
import { headerValue, settableHeaderName } from '../../domain/fields/header-names.ts';
import { sentenceOf } from '../../domain/refusal.ts';
import { toolContent } from '../../domain/tool.ts';
import { fits, problemsIn } from '../../lib/schema/problems.ts';
import { portabilityNote } from '../plan/portability.ts';

/** Looks at what every kind of document came to: what cannot be stored or called is left out, and a note says why. */
export function examine(api: ApiDescription): ApiDescription {
  const notes: ImportNote[] = [];
  const leaveOut = (code: string, message: string): void => void notes.push({ code, message });
  const baseUrls = api.baseUrls.filter((address) => {
    const fault = baseUrlFault(address);
    if (fault !== null)
      leaveOut('server_unusable', `The address ${shown(address)} ${fault}: it was left out.`);
    return fault === null;
  });
  const headers = Object.fromEntries(
    Object.entries(api.headers).filter(([name, value]) => {
      const usable = fits(settableHeaderName, name) && fits(headerValue, value);
      if (!usable) leaveOut('header_unusable', `The header ${shown(name)} cannot be set: it was left out.`);
      return usable;
    }),
  );
  const faults = problemsIn(authScheme, api.auth);
  if (faults.length > 0)
    leaveOut(
      'authentication_unusable',
      `The document’s way of signing in cannot be used (${sentenceOf(faults)}): set it on the API.`,
    );
  return {
    ...api,
    name: api.name.trim().slice(0, 500) || api.wantedSlug || 'Imported API',
    ...(api.description !== undefined && { description: api.description.slice(0, 100_000) }),
    baseUrls: baseUrls.slice(0, 1_000).map(asParsed),
    headers,
    auth: faults.length > 0 ? { kind: 'none' } : api.auth,
    authChoices: api.authChoices.filter(({ auth }) => fits(authScheme, auth)),
    operations: api.operations.map((operation) => examineOperation(withParsedAddress(operation))),
    notes: [...api.notes, ...notes],
  };
}

function withParsedAddress(described: DescribedOperation): DescribedOperation {
  const { content } = described;
  const baseUrl = content?.operation.baseUrl;
  if (!content || baseUrl === undefined || asParsed(baseUrl) === baseUrl) return described;
  return {
    ...described,
    content: { ...content, operation: { ...content.operation, baseUrl: asParsed(baseUrl) } },
  };
}

function examineOperation(operation: DescribedOperation): DescribedOperation {
  if (!operation.content) return operation;
  // Its name is fitted when the import is planned.
  const problems = problemsIn(toolContent, { ...operation.content, name: 'tool' });
  if (problems.length > 0) {
    const message = `No request can be built: ${sentenceOf(problems)}.`;
    const note = { code: 'not_callable', message, at: operation.at };
    return { ...operation, content: null, notes: [...operation.notes, note] };
  }
  const note = portabilityNote(operation.content, operation.at);
  return note ? { ...operation, notes: [...operation.notes, note] } : operation;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
