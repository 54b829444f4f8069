import { QueryClient } from '@tanstack/react-query';
import { ProblemError } from './problem.ts';

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // The gateway is often on this very machine, which may well be offline otherwise.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // What the gateway refused once it refuses again; only a lost connection is worth another try.
        retry: (failures, error) => !(error instanceof ProblemError) && failures < 2,
      },
    },
  });
