import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link as RouterLink } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { Refused } from '../../app/refused.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Breakable } from '../../ui/breakable.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { WebhookDialog } from './dialog.tsx'
import { type CreatedWebhook, type Webhook, webhooksQuery } from './queries.ts'
import { WebhookSecret } from './secret.tsx'
import { WebhookStatus } from './status.tsx'
import { groupsOf, troubleOf } from './words.ts'

const route = getRouteApi('/shell/webhooks')

/** The webhooks of the workspace. */
export function WebhooksPage() {
  const { t } = useI18n()
  const { may } = usePlace()
  if (!may('webhooks:read')) {
    return <Refused title={t('webhooks.title')} text={t('webhooks.forbidden')} />
  }
  return <Webhooks />
}

function Webhooks() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const webhooks = useQuery(webhooksQuery(workspace.id))
  const [made, setMade] = useState<CreatedWebhook | null>(null)
  const { create: creating } = route.useSearch()
  const navigate = route.useNavigate()
  const close = () => void navigate({ search: {}, replace: true })
  const create = (
    <Button
      variant="primary"
      icon={<Plus />}
      onClick={() => void navigate({ search: { create: true } })}
    >
      {t('webhooks.create')}
    </Button>
  )
  return (
    <Page title={t('webhooks.title')} actions={create}>
      <Answer of={webhooks} loading={<SkeletonRows count={3} tall />}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon={<WebhookIcon size={28} />}
              title={t('webhooks.empty.title')}
              action={create}
            >
              <p>{t('webhooks.empty.text')}</p>
            </Empty>
          ) : (
            <ul className="flex flex-col">
              {all.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </Answer>
      {creating ? (
        <WebhookDialog
          onClose={close}
          onMade={(webhook) => {
            setMade(webhook)
            close()
          }}
        />
      ) : null}
      {made === null ? null : <WebhookSecret made={made} onClose={() => setMade(null)} />}
    </Page>
  )
}

function Row({ webhook }: { webhook: Webhook }) {
  const i18n = useI18n()
  const { id, url, types } = webhook
  const trouble = troubleOf(webhook, i18n)
  return (
    <li className="flex flex-col gap-1.5 border-line border-b py-3 first:border-t">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <RouterLink
          to="/webhooks/$id"
          params={{ id }}
          dir="ltr"
          className="min-h-6 min-w-0 font-medium [overflow-wrap:anywhere] hover:underline"
        >
          <Breakable>{url}</Breakable>
        </RouterLink>
        <WebhookStatus webhook={webhook} />
      </div>
      {trouble === null ? null : <p className="text-muted text-sm">{trouble}</p>}
      <div className="flex flex-wrap gap-1">
        {groupsOf(types, i18n).map(({ kind, label, members }) => (
          <Chip key={kind}>{`${label} · ${i18n.format.number(members.length)}`}</Chip>
        ))}
      </div>
    </li>
  )
}
