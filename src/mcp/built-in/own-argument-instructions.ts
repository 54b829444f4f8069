/** What a client is told about the argument by which it picks parts of replies, once. */
const selectInstructions =
  'Every tool takes _select, a JMESPath expression that picks what you read of its reply, such as items[].{id: id, name: name}.';

/** What a client is told about the arguments by which it asks for more than one request, once. */
const pageInstructions =
  'Tools that return pages of a list take _all: true, which gathers every page and gives one list of all records, of at most _max_items; tools that begin long jobs take _wait: true, which waits for the end.';

/** What a client is told about the arguments that a server adds to its tools; nothing where it adds none. */
export function ownArgumentInstructions(server: {
  readonly selectArgument?: boolean;
  readonly pageArguments?: boolean;
}): readonly string[] {
  return [
    ...(server.selectArgument === true ? [selectInstructions] : []),
    ...(server.pageArguments === true ? [pageInstructions] : []),
  ];
}
