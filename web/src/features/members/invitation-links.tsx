import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Email } from './email.tsx'
import type { OpenInvitation } from './queries.ts'

/** The links of invitations that aren't sent by email, to be passed on. They are shown only once. */
export function InvitationLinks({
  made,
  onClose,
}: {
  made: readonly [OpenInvitation, ...OpenInvitation[]]
  onClose: () => void
}) {
  const { t, format } = useI18n()
  const [first] = made
  const date = format.dateTime(first.expires_at)
  return (
    <Dialog
      onClose={onClose}
      title={t('members.invite.title')}
      description={
        made.length === 1
          ? t('members.invite.link', { email: first.email, date })
          : t('members.invite.links', { date })
      }
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('members.done')}
        </Button>
      }
    >
      {made.map(({ id, email, url }) =>
        url === undefined ? null : (
          <div key={id} className="flex flex-col gap-1">
            {made.length === 1 ? null : <Email address={email} className="font-medium text-sm" />}
            <CodeBlock code={url} />
          </div>
        ),
      )}
    </Dialog>
  )
}
