/** What a client is told about the argument by which it picks parts of replies, once. */
export const selectInstructions =
  'Every tool takes _select, a JMESPath expression that picks what you read of its reply, such as items[].{id: id, name: name}.';
