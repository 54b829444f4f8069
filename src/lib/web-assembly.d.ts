// What of WebAssembly is used here. The types of Node 20 leave it to those of browsers.
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-extraneous-class -- it is only made here, and handed on
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: object;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
