import { describe, expect, it } from 'vitest';
import { HandrailError } from '../../domain/errors.ts';
import { parseIcons } from './servers.ts';

describe('the icons of a server', () => {
  it.each([
    ['HTTPS://Example.com/a\tb.png', 'https://example.com/ab.png'],
    ['data:image/png;base64,AA==', 'data:image/png;base64,AA=='],
    ['data:IMAGE/SVG+XML,<svg/>', 'data:IMAGE/SVG+XML,<svg/>'],
  ])('are stored as they are read: %s', (src, stored) => {
    expect(parseIcons([{ src }])).toEqual([{ src: stored }]);
  });

  it.each([
    ['data:text/html,<script>1</script>', 'must be an image, such as data:image/png;base64,…'],
    ['data:,nothing', 'must be an image, such as data:image/png;base64,…'],
    ['https://me:secret@example.com/i.png', 'must not contain a user name or password'],
  ])('are refused where they are none: %s', (src, message) => {
    const refused = () => parseIcons([{ src: 'https://example.com/i.png' }, { src }]);
    expect(refused).toThrow(HandrailError);
    expect(refused).toThrow(message);
  });

  it('take their kind from beside the address where that says none', () => {
    expect(parseIcons([{ src: 'data:;base64,AA==', mimeType: 'image/png' }])).toHaveLength(1);
  });
});
