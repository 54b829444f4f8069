export function copySources(target: string, isWanted?: (file: string) => boolean): string[];
