import { isSupportedLocale } from '../../lib/i18n/index.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { SYSTEM } from '../audit/index.ts'
import type { WebhookContext } from './context.ts'
import { record, toWebhook } from './rows.ts'
import type { DisabledReason } from './schemas.ts'
import { addresseeOf } from './sending-store.ts'
import { changeWebhook, type WebhookRow } from './store.ts'

type Deps = WebhookContext & { mailer: Pick<Mailer, 'send'>; baseUrl: string }

/** Disables a webhook, unless it was changed meanwhile, and tells who made it. */
export async function disable(deps: Deps, row: WebhookRow, reason: DisabledReason): Promise<void> {
  const { storage, clock } = deps
  const { id, version, workspace_no: workspaceNo } = row
  const at = clock.now()
  const ended = { enabled: 0, disabled_reason: reason, updated_at: at, version: version + 1 }
  const isDisabled = await storage.write(
    async (tx) => {
      if (!(await changeWebhook(tx, id, ended, { version, enabled: 1 }))) return false
      const webhook = await toWebhook(deps, tx, { ...row, ...ended })
      const { created_by: maker, filter: _, ...object } = webhook
      const by = { workspace: { no: workspaceNo }, actor: SYSTEM }
      await record(tx, by, 'webhook.disabled', webhook, at, {
        before: { enabled: true },
        after: { enabled: false, disabled_reason: reason },
        object: {
          ...object,
          url: new URL(object.url).origin,
          created_by: maker.type === 'user' ? { type: maker.type, id: maker.id } : maker,
        },
      })
      return true
    },
    { workspaceNo },
  )
  if (!isDisabled) return
  const to = await addresseeOf(storage.read, row)
  if (to === undefined) return
  deps.mailer.send({
    kind: 'webhook_disabled',
    to: to.email,
    locale: to.language !== null && isSupportedLocale(to.language) ? to.language : 'en',
    url: `${deps.baseUrl}/app/webhooks`,
    params: { workspace: to.workspace, endpoint: new URL(row.url).host },
  })
}
