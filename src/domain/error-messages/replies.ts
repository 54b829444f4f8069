import { template } from '../errors.ts';

/** What can go wrong with replies and files that are kept. */
export const repliesErrors = {
  uploadEnded: template('conflict', 'This link has expired or was already used.'),
  fileRemoved: template(
    'unavailable',
    'The file was removed while it was being written: its space was needed, or its owner lost access.',
  ),
  contentRemoved: template(
    'unavailable',
    'The stored content is no longer available: it has expired, or its space was needed.',
  ),
  nothingSelected: template(
    'reply_invalid',
    (v: { status: number; reason: string; kept: string }) =>
      `The call was made and succeeded (HTTP ${v.status}), but nothing could be selected: ${v.reason}. ${v.kept} Do not make the call again for this.`,
  ),
};
