import { profileRoutes } from '../../contract/profiles.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** Profiles of the running process. */
export function bindProfiles(): BoundRoute[] {
  return [
    bind(profileRoutes.take, async ({ body }) => {
      const { takeProfile } = await import('../take-profile.ts');
      return takeProfile(body.kind, body.seconds);
    }),
  ];
}
