import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a small archive by their names, read by its directory and compared with their checksums. */
export function readZip(archive: Buffer): Map<string, string> {
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== 0x06054b50) throw new Error('The archive has no end.');
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error('The directory is damaged.');
    const nameLength = archive.readUInt16LE(at + 28);
    const start = archive.readUInt32LE(at + 42) + 30 + nameLength;
    const bytes = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)));
    if (crc32(bytes) !== archive.readUInt32LE(at + 16)) throw new Error('A file is damaged.');
    files.set(archive.toString('utf8', at + 46, at + 46 + nameLength), bytes.toString());
    at += 46 + nameLength;
  }
  if (at !== end) throw new Error('The directory ends elsewhere.');
  return files;
}
