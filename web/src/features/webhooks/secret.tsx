import { useI18n } from '../../i18n/index.tsx'
import { SecretDialog } from '../keys/secret-dialog.tsx'
import type { CreatedWebhook } from './queries.ts'

/** The secret of a new webhook, or its new one, shown only once. */
export function WebhookSecret({ made, onClose }: { made: CreatedWebhook; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <SecretDialog
      title={t('webhooks.secret')}
      description={made.url}
      secret={made.secret}
      words={{
        name: t('webhooks.secret'),
        copy: t('webhooks.secret.copy'),
        kept: t('webhooks.secret.kept'),
        leave: t('webhooks.secret.leave'),
        stay: t('webhooks.secret.stay'),
      }}
      onClose={onClose}
    />
  )
}
