import { encodePng } from '../../../src/lib/png.ts';

/** One red pixel as a PNG, base64. */
export const redPixelPng = encodePng(1, 1, () => [255, 0, 0]).toString('base64');

/** A tenth of a millisecond of silence as a WAV file, base64. */
export const silentWav = makeWav().toString('base64');

function makeWav(): Buffer {
  const samples = Buffer.alloc(16);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(16000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
