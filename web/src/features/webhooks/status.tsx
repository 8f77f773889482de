import { useI18n } from '../../i18n/index.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import type { DeliveryStatus, Webhook } from './queries.ts'

const TONES = { ok: 'ok', failing: 'bad', disabled: 'neutral' } as const satisfies Record<
  Webhook['status'],
  Tone
>
const LABELS = {
  ok: 'links.status.active',
  failing: 'webhooks.status.failing',
  disabled: 'links.status.disabled',
} as const
const DELIVERY_TONES = { pending: 'warn', succeeded: 'ok', failed: 'bad' } as const
export const DELIVERY_LABELS = {
  pending: 'webhooks.delivery.pending',
  succeeded: 'webhooks.delivery.succeeded',
  failed: 'jobs.state.failed',
} as const

/** The state of a webhook. */
export function WebhookStatus({ webhook: { status } }: { webhook: Webhook }) {
  const { t } = useI18n()
  return <Chip tone={TONES[status]}>{t(LABELS[status])}</Chip>
}

/** The state of a delivery. */
export function DeliveryState({ status }: { status: DeliveryStatus }) {
  const { t } = useI18n()
  return <Chip tone={DELIVERY_TONES[status]}>{t(DELIVERY_LABELS[status])}</Chip>
}
