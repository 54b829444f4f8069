import { describe, expect, it } from 'vitest';
import { fitToolName } from './names.ts';

describe('a tool name', () => {
  it.each([
    ['list pets!', 'list_pets'],
    ['__', 'tool'],
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
  ])('of %j keeps words and fits: %s', (wanted, name) => {
    expect(name.length).toBeLessThanOrEqual(64);
    expect(fitToolName(wanted)).toBe(name);
  });

  it('is cut and told apart by a hash only when there are no words to leave out', () => {
    expect(fitToolName('x'.repeat(80))).toMatch(/^x{57}_[0-9a-z]{6}$/);
  });

  it('is numbered when it is taken', () => {
    const taken = new Set(['a', 'a_2']);
    expect(fitToolName('a', (name) => taken.has(name))).toBe('a_3');
  });
});
