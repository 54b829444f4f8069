import { crc32, deflateRawSync } from 'node:zlib';

/** A file in an archive. */
export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly content: string;
}

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfCentral = 0x06054b50;
/** Names are UTF-8. */
const flags = 0x0800;
const deflated = 8;
/** The earliest date that the format allows, so that the same files always give the same archive. */
const firstDay = 0x0021;

/** Writes a ZIP archive (APPNOTE 6.3, without ZIP64): for a few small files. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const path = Buffer.from(name);
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    // Common to both headers of a file: version, flags, method, time, date, checksum and lengths.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(flags, 2);
    about.writeUInt16LE(deflated, 4);
    about.writeUInt16LE(firstDay, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(path.length, 22);
    files.push(uint32(localHeader), about, path, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    // Here the version that created the file comes first.
    directory.push(uint32(centralHeader), about.subarray(0, 2), about, rest, path);
    offset += 4 + about.length + path.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, central, uint32(endOfCentral), end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
