/** What queries about a workspace are about. */
type Subject =
  | 'audit'
  | 'domains'
  | 'excluded-networks'
  | 'folders'
  | 'imports'
  | 'invitations'
  | 'jobs'
  | 'keys'
  | 'link-check'
  | 'links'
  | 'logo'
  | 'members'
  | 'misses'
  | 'qr-style'
  | 'shares'
  | 'stats'
  | 'tags'
  | 'usage'
  | 'utm-templates'
  | 'views'
  | 'webhooks'
  | 'workspace'

/** The key of a query about a workspace; fewer parts: of all queries whose keys begin so. */
export function workspaceKey<const Parts extends [] | readonly [Subject, ...unknown[]]>(
  workspace: string,
  ...parts: Parts
) {
  return [workspace, ...parts] as const
}
