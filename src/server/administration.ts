import { clicksThisMonth } from '../clicks/index.ts'
import { createAuditService } from '../features/audit/index.ts'
import type { DomainService } from '../features/domains/service.ts'
import { createFolderService } from '../features/folders/index.ts'
import type { KeyService } from '../features/keys/service.ts'
import type { LinkService } from '../features/links/index.ts'
import { createInvitationService, type SendInvitation } from '../features/members/invitations.ts'
import { createMemberService } from '../features/members/service.ts'
import { createLogoService } from '../features/qr/logo.ts'
import { createQrStyleService } from '../features/qr/style.ts'
import { createTagService } from '../features/tags/index.ts'
import { createRequestCounts } from '../features/usage/requests.ts'
import { createUtmService } from '../features/utm/service.ts'
import { createViewService } from '../features/views/service.ts'
import { createWorkspaceRemoval } from '../features/workspaces/removal.ts'
import { createWorkspaceService } from '../features/workspaces/service.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { Domains } from '../model/domains/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import { readFilter } from '../statistics/filters.ts'
import type { ServingInput } from './operations/serving.ts'

/**
 * The services behind the dashboard's endpoints of keys, members, workspaces, usage and audit. Call
 * `purge` about every minute; it is cheap when there is little to delete.
 */
export function createAdministration(
  input: Pick<ServingInput, 'clock' | 'ids' | 'random' | 'plans'> & {
    storage: Storage
    cursors: Cursors
    domains: Domains
    keys: KeyService
    links: LinkService
    ownDomains: Pick<DomainService, 'count' | 'drop'>
    sendInvitation: SendInvitation
    logger: Pick<Logger, 'warn'>
  },
) {
  const { storage, clock, cursors, plans, links, keys, logger } = input
  const workspaces = createWorkspaceService(input)
  const removal = createWorkspaceRemoval({
    storage,
    clock,
    purgeLinks: links.purgeSome,
    dropDomains: input.ownDomains.drop,
  })
  const invitations = createInvitationService({ ...input, workspaces })
  const requestCounts = createRequestCounts({ storage, clock })
  return {
    tags: createTagService(input),
    folders: createFolderService(input),
    audit: createAuditService({ storage, cursors }),
    clicksThisMonth: (workspaceNo: number) => clicksThisMonth(storage, workspaceNo, clock.now()),
    clock,
    cursors,
    invitations,
    keys,
    logos: createLogoService({ storage, clock }),
    qrStyles: createQrStyleService({ storage, clock }),
    utm: createUtmService(input),
    views: createViewService({
      ...input,
      checkFilter: (name, values, no) =>
        readFilter(name, values, input.domains, no)?.values ?? null,
    }),
    members: createMemberService({ storage, clock }),
    plans,
    removal,
    requestCounts,
    sendInvitation: input.sendInvitation,
    workspaces,
    async purge(): Promise<void> {
      await requestCounts.write()
      const steps = [removal.purge, links.purgeDeleted, invitations.purgeExpired]
      for (const step of [...steps, requestCounts.purge]) {
        await step().catch((err: unknown) =>
          logger.warn({ err }, 'What was deleted could not be purged'),
        )
      }
    },
  }
}
