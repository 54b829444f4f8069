import { createHash } from 'node:crypto';
import { credentialErrors } from '../../domain/error-messages/credentials.ts';
import { BodyStream } from '../../pipeline/request/body-stream.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';

/** The hash of a request's body in hexadecimal; for a file it was computed before. */
export function bodySha256({ body }: RequestPlan): string {
  const content = body?.content ?? '';
  if (!(content instanceof BodyStream)) return createHash('sha256').update(content).digest('hex');
  if (content.sha256 === null) throw new Error('The hash of the body was not computed before signing.');
  return content.sha256;
}

/** The bytes of a request's body, for a signature that covers them; a file is not loaded into memory for that. */
export function bodyBytes({ body }: RequestPlan): Buffer {
  const content = body?.content ?? '';
  if (!(content instanceof BodyStream)) return Buffer.from(content);
  throw credentialErrors.signedFile({ notSent: true });
}
