import type { Command } from './command.ts';

/** Every command, loaded when it is run: `stdio` must answer within 300 ms and most commands need little. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  stdio: async () => (await import('./commands/stdio.ts')).stdio,
  connect: async () => (await import('./commands/connect.ts')).connect,
  tools: async () => (await import('./commands/tools.ts')).tools,
  search: async () => (await import('./commands/search.ts')).search,
  call: async () => (await import('./commands/call.ts')).call,
  run: async () => (await import('./commands/run.ts')).run,
  composed: async () => (await import('./commands/composed.ts')).composed,
  apis: async () => (await import('./commands/apis.ts')).apis,
  approvals: async () => (await import('./commands/approvals.ts')).approvals,
  servers: async () => (await import('./commands/servers.ts')).servers,
  credentials: async () => (await import('./commands/credentials.ts')).credentials,
  egress: async () => (await import('./commands/egress.ts')).egress,
  keys: async () => (await import('./commands/keys.ts')).keys,
  admins: async () => (await import('./commands/admins.ts')).admins,
  audit: async () => (await import('./commands/audit.ts')).audit,
  calls: async () => (await import('./commands/calls.ts')).calls,
  'rotate-key': async () => (await import('./commands/rotate-key.ts')).rotateKey,
  'set-aside': async () => (await import('./commands/set-aside.ts')).setAside,
  backup: async () => (await import('./commands/backup.ts')).backup,
  'admin-token': async () => (await import('./commands/admin-token.ts')).adminToken,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
};
