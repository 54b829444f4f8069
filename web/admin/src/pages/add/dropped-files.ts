/** A file of a description, with its path among the others. */
export interface NamedFile {
  readonly name: string;
  readonly file: File;
}

// Folders that no one means to import when dropping a whole project.
const ignored = /(^|\/)(\.[^/]+|node_modules)(\/|$)/;
const described = /\.(json|ya?ml|har|txt|curl|sh|gz)$/i;

/** Files from a picker. Those in a folder keep the path below it. */
export function namedFiles(files: Iterable<File>): NamedFile[] {
  return tidy(Array.from(files, (file) => ({ name: file.webkitRelativePath || file.name, file })));
}

/** Everything that was dropped, including the contents of folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<NamedFile[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  if (entries.length === 0) return namedFiles(transfer.files);
  return tidy((await Promise.all(entries.map((entry) => filesIn(entry, '')))).flat());
}

/** Leaves out hidden and unrelated files of a folder, but never the only file. */
function tidy(files: readonly NamedFile[]): NamedFile[] {
  if (files.length <= 1) return [...files];
  return files
    .filter(({ name }) => !ignored.test(name) && described.test(name))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  const name = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ name, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  for (;;) {
    // A reader returns up to a hundred entries at a time, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const inner of some) found.push(...(await filesIn(inner, `${name}/`)));
  }
}
