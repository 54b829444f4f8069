// The parts of WebAssembly used here. The types of Node 20 leave them to the browser's.
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-extraneous-class -- only created here and passed on
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
