import type { Command } from './command.ts';

/** Every command, loaded when it is run: `stdio` must answer within 300 ms and most commands need little. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  stdio: async () => (await import('./stdio.ts')).stdio,
  connect: async () => (await import('./connect.ts')).connect,
  tools: async () => (await import('./tools.ts')).tools,
  call: async () => (await import('./call.ts')).call,
  apis: async () => (await import('./apis.ts')).apis,
  servers: async () => (await import('./servers.ts')).servers,
  credentials: async () => (await import('./credentials.ts')).credentials,
  keys: async () => (await import('./keys.ts')).keys,
  admins: async () => (await import('./admins.ts')).admins,
  audit: async () => (await import('./audit.ts')).audit,
  calls: async () => (await import('./calls.ts')).calls,
  'rotate-key': async () => (await import('./rotate-key.ts')).rotateKey,
  backup: async () => (await import('./backup.ts')).backup,
  'admin-token': async () => (await import('./admin-token.ts')).adminToken,
  doctor: async () => (await import('./doctor.ts')).doctor,
};
