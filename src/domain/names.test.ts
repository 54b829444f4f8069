import { describe, expect, it } from 'vitest';
import { shortenName } from './names.ts';

describe('a name with fewer words', () => {
  it.each([
    [
      'get_organizations_by_organization_id_projects_by_project_id_environments',
      'get_organizations_id_projects_id_environments',
    ],
    [
      'accountManagementServiceGetOrganizationMembersWithTheirRolesAndPermissions',
      'accountManagementServiceGetMembersTheirRolesPermissions',
    ],
    [
      'post_api_v2_workspaces_workspace_repositories_repository_pullrequests_pullrequest_comments_resolve',
      'post_workspaces_repositories_pullrequests_comments_resolve',
    ],
  ])('of %j is %s', (name, shorter) => {
    expect(shorter.length).toBeLessThanOrEqual(64);
    expect(shortenName(name, 64)).toBe(shorter);
  });

  it('is none where there is nothing to leave out', () => {
    expect(shortenName('x'.repeat(80), 64)).toBeNull();
  });
});
