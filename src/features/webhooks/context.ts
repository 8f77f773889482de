import type { Permission } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import type { Outgoing } from '../../platform/outgoing/index.ts'
import type { EventSignal, Sql } from '../../platform/storage/index.ts'
import type { Actor, Writer } from '../audit/index.ts'
import type { EventService } from '../events/service.ts'
import type { RestrictedDomains } from '../keys/restrictions.ts'
import type { ReadClicks } from './clicks.ts'

/** What the services of webhooks need. */
export interface WebhookContext extends ServiceContext {
  random: Random
  domains: RestrictedDomains
  events: Pick<EventService, 'positionOf' | 'positionBefore' | 'idOf' | 'page' | 'visibleOf'>
  outgoing: Pick<Outgoing, 'check' | 'send'>
  secrets: { readonly webhooks: Uint8Array }
}

/** What an actor may do and see now. @throws AppError if they lack the permission */
export type CallerOf = (
  sql: Sql,
  of: { readonly workspaceNo: number; readonly actor: Actor },
  scope: Permission,
) => Promise<Writer>

/** What sending needs. */
export interface SenderDeps extends WebhookContext {
  callerOf: CallerOf
  readClicks: ReadClicks
  eventSignal: Pick<EventSignal, 'listen'>
  mailer: Pick<Mailer, 'send'>
  baseUrl: string
  logger: Pick<Logger, 'warn'>
}
