import { parentPort } from 'node:worker_threads';
import type { Api } from '../domain/api.ts';
import { toolWithoutHeld } from '../domain/places/operator-places.ts';
import type { Tool } from '../domain/tool.ts';
import { SearchIndex } from './search-index.ts';
import { buffersOf, type SearchSegment } from './search-segment.ts';
import { documentOf, type SearchDocument } from './tool-document.ts';

/** A tool to index, as a server names and describes it. */
export interface ToolToIndex {
  readonly key: string;
  /** The tool as JSON. */
  readonly text: string;
  readonly name: string;
  readonly description: string;
  readonly api: Api;
}

/** Some tools of a segment; the last ones complete it, and the segment is the answer. */
export interface SegmentRequest {
  readonly tools: readonly ToolToIndex[];
  readonly isLast: boolean;
}

let documents: SearchDocument[] = [];
let index = new SearchIndex();

const port = parentPort;
port?.on('message', ({ tools, isLast }: SegmentRequest) => {
  for (const { key, text, name, description, api } of tools) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked when its row was read
    const tool = JSON.parse(text) as Tool;
    const document = documentOf(key, { ...toolWithoutHeld(api, tool), name, description }, api);
    documents.push(document);
    index.add(document);
  }
  if (!isLast) return;
  const segment: SearchSegment = index.toSegment(documents);
  port.postMessage(segment, buffersOf(segment));
  documents = [];
  index = new SearchIndex();
});
