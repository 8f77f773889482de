import { createAuditService } from './audit/index.ts'
import type { registerAuditRoutes } from './audit/routes.ts'
import type { Clock } from './base/clock.ts'
import type { Ids } from './base/ids.ts'
import type { Logger } from './base/logger.ts'
import type { Random } from './base/random.ts'
import { clicksThisMonth } from './clicks/index.ts'
import type { Cursors } from './http/cursor.ts'
import type { KeyService } from './keys/index.ts'
import type { registerKeyRoutes } from './keys/routes.ts'
import type { LinkService } from './links/index.ts'
import {
  createInvitationService,
  createMemberService,
  type SendInvitation,
} from './members/index.ts'
import type { registerMemberRoutes } from './members/routes.ts'
import type { Plans } from './plans/service.ts'
import type { Storage } from './storage/index.ts'
import { createRequestCounts } from './usage/index.ts'
import type { registerUsageRoutes } from './usage/routes.ts'
import { createWorkspaceRemoval, createWorkspaceService } from './workspaces/index.ts'
import type { registerInstanceRoutes } from './workspaces/instance-routes.ts'
import type { registerWorkspaceRoutes } from './workspaces/routes.ts'

/** The services behind the dashboard's endpoints of keys, members, workspaces, usage and audit. */
export type AdministrationDeps = Parameters<typeof registerAuditRoutes>[1] &
  Parameters<typeof registerKeyRoutes>[1] &
  Parameters<typeof registerMemberRoutes>[1] &
  Parameters<typeof registerUsageRoutes>[1] &
  Parameters<typeof registerInstanceRoutes>[1] &
  Parameters<typeof registerWorkspaceRoutes>[1]

/** What they are made of. */
export interface AdministrationInput {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  plans: Plans
  cursors: Cursors
  keys: KeyService
  links: LinkService
  sendInvitation: SendInvitation
  logger: Pick<Logger, 'warn'>
}

/** Makes them; `purge` is to be called every minute or so, and does little when there is little. */
export function createAdministration(input: AdministrationInput) {
  const { storage, clock, cursors, plans, links, keys, logger } = input
  const workspaces = createWorkspaceService(input)
  const removal = createWorkspaceRemoval({ storage, clock, purgeLinks: links.purgeSome })
  const invitations = createInvitationService({ ...input, workspaces })
  return {
    audit: createAuditService({ storage, cursors }),
    clicksThisMonth: (workspaceNo: number) => clicksThisMonth(storage, workspaceNo, clock.now()),
    clock,
    cursors,
    invitations,
    keys,
    members: createMemberService({ storage, clock }),
    plans,
    removal,
    requestCounts: createRequestCounts(clock),
    sendInvitation: input.sendInvitation,
    workspaces,
    async purge(): Promise<void> {
      for (const step of [removal.purge, links.purgeDeleted, invitations.purgeExpired]) {
        await step().catch((err: unknown) =>
          logger.warn({ err }, 'What was deleted could not be purged'),
        )
      }
    },
  } satisfies AdministrationDeps & { purge(): Promise<void> }
}
