import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link as RouterLink } from '@tanstack/react-router'
import { ArrowLeft, History, Pencil, Power, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Refused } from '../../app/refused.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Breakable } from '../../ui/breakable.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { MenuItem, MoreMenu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { showToast, useAction } from '../../ui/toast.tsx'
import { typeLabel } from '../audit/words.ts'
import { RestrictedTo } from '../keys/restricted-to.tsx'
import { CreatedBy } from '../members/person.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookDialog } from './dialog.tsx'
import {
  type CreatedWebhook,
  deleteWebhook,
  rotateSecret,
  sendTest,
  updateWebhook,
  type Webhook,
  webhookQuery,
  webhooksKey,
} from './queries.ts'
import { ReplayDialog } from './replay.tsx'
import { WebhookSecret } from './secret.tsx'
import { WebhookStatus } from './status.tsx'
import { troubleOf } from './words.ts'

const route = getRouteApi('/shell/webhooks/$id')

type Open = 'edit' | 'rotate' | 'replay' | 'delete' | CreatedWebhook

/** A webhook: what it sends, and what came of it. */
export function WebhookPage() {
  const { t } = useI18n()
  const { may, workspace } = usePlace()
  const { id } = route.useParams()
  const webhook = useQuery({ ...webhookQuery(workspace.id, id), enabled: may('webhooks:read') })
  if (!may('webhooks:read')) {
    return <Refused title={t('webhooks.title')} text={t('webhooks.forbidden')} />
  }
  if (webhook.data === undefined) {
    return (
      <Page title={t('webhooks.title')} before={<Back />}>
        <Answer of={webhook}>{() => null}</Answer>
      </Page>
    )
  }
  return <Shown webhook={webhook.data} />
}

function Back() {
  const { t } = useI18n()
  return (
    <RouterLink
      to="/webhooks"
      className="flex h-6 w-fit items-center gap-1 pointer-coarse:h-10 text-muted text-sm hover:text-fg"
    >
      <ArrowLeft className="rtl:-scale-x-100" />
      {t('webhooks.title')}
    </RouterLink>
  )
}

function Shown({ webhook }: { webhook: Webhook }) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const { id, url, types, filter, enabled } = webhook
  const refresh = () => client.invalidateQueries({ queryKey: webhooksKey(workspace.id) })
  const test = useAction(
    () => sendTest(id),
    () => {
      showToast({ title: t('webhooks.tested') })
      return refresh()
    },
  )
  const toggle = useAction(
    (next: boolean) => updateWebhook(id, { enabled: next }),
    (_, next) => {
      showToast({
        title: t(next ? 'links.enabledName' : 'links.disabledName', { name: url }),
        action: { label: t('common.undo'), onClick: () => toggle.mutate(!next) },
      })
      return refresh()
    },
  )
  const remove = async () => {
    await deleteWebhook(id)
    await navigate({ to: '/webhooks' })
    void refresh()
    showToast({ title: t('webhooks.deleted') })
  }
  const trouble = troubleOf(webhook, i18n)
  return (
    <Page
      title={url}
      heading={
        <span dir="ltr">
          <Breakable>{url}</Breakable>
        </span>
      }
      before={<Back />}
      actions={
        <>
          <Button icon={<Send />} loading={test.isPending} onClick={() => test.mutate()}>
            {t('webhooks.test')}
          </Button>
          <Button icon={<Pencil />} onClick={() => setOpen('edit')}>
            {t('links.edit')}
          </Button>
          <MoreMenu label={t('common.more')}>
            <MenuItem icon={<Power />} onClick={() => toggle.mutate(!enabled)}>
              {t(enabled ? 'links.disable' : 'links.enable')}
            </MenuItem>
            <MenuItem icon={<History />} onClick={() => setOpen('replay')}>
              {t('webhooks.replay')}
            </MenuItem>
            <MenuItem icon={<RefreshCw />} onClick={() => setOpen('rotate')}>
              {t('webhooks.rotate')}
            </MenuItem>
            <MenuItem danger icon={<Trash2 />} onClick={() => setOpen('delete')}>
              {t('links.delete')}
            </MenuItem>
          </MoreMenu>
        </>
      }
    >
      <div className="mb-6 flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <WebhookStatus webhook={webhook} />
          {trouble === null ? null : <span className="text-muted text-sm">{trouble}</span>}
        </div>
        <div className="flex flex-wrap gap-1">
          {types.map((type) => (
            <Chip key={type}>{typeLabel(type, i18n)}</Chip>
          ))}
        </div>
        {filter === null ? null : <RestrictedTo restrictions={filter} />}
        <div className="flex flex-wrap items-center gap-x-2 text-muted text-sm">
          <span>{t('webhooks.publicKey')}</span>
          <span className="flex min-w-0 items-center gap-x-2">
            <code dir="ltr" className="min-w-0 [overflow-wrap:anywhere]">
              {webhook.public_key}
            </code>
            <CopyButton text={webhook.public_key} label={t('common.copy')} />
          </span>
        </div>
        <p className="text-faint text-xs">
          <CreatedBy at={webhook.created_at} by={webhook.created_by} />
        </p>
      </div>
      <Deliveries webhook={webhook} />
      {open === 'edit' ? <WebhookDialog webhook={webhook} onClose={close} /> : null}
      {open === 'replay' ? <ReplayDialog id={id} onClose={close} /> : null}
      {open === 'rotate' ? (
        <ConfirmDialog
          title={t('webhooks.rotate.title')}
          description={t('webhooks.rotate.text')}
          action={t('webhooks.rotate')}
          danger={false}
          onConfirm={async () => {
            const made = await rotateSecret(id)
            // After the confirmation has closed.
            setTimeout(() => setOpen(made))
          }}
          onClose={close}
        />
      ) : null}
      {open === 'delete' ? (
        <ConfirmDialog
          title={t('webhooks.delete.title')}
          description={t('webhooks.delete.text', { url })}
          action={t('links.delete')}
          onConfirm={remove}
          onClose={close}
        />
      ) : null}
      {open !== null && typeof open === 'object' ? (
        <WebhookSecret made={open} onClose={close} />
      ) : null}
    </Page>
  )
}
