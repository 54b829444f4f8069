import { createHash } from 'node:crypto';
import { HandrailError } from '../../domain/errors.ts';
import { BodyStream } from '../../pipeline/request/body-stream.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';

/** The hash of a request's body in hexadecimal; that of a file was found before. */
export function bodySha256({ body }: RequestPlan): string {
  const content = body?.content ?? '';
  if (!(content instanceof BodyStream)) return createHash('sha256').update(content).digest('hex');
  if (content.sha256 === null) throw new Error('The hash of a body was not found before it was signed.');
  return content.sha256;
}

/** The bytes of a request's body, for a signature that covers them; a file is not held in memory for it. */
export function bodyBytes({ body }: RequestPlan): Buffer {
  const content = body?.content ?? '';
  if (!(content instanceof BodyStream)) return Buffer.from(content);
  throw new HandrailError(
    'unsafe_value',
    "The signature of this API covers the whole body, which cannot be a file that is kept: give the file's content as a data: URL.",
    { notSent: true },
  );
}
