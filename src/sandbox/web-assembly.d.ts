// What of WebAssembly is used here. The types of Node 20 leave it to those of browsers.
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-empty-object-type -- nothing in it is ours to look at
  interface Module {}
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
