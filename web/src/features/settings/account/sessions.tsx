import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { Parts } from '../../../ui/parts.tsx'
import { SkeletonRows } from '../../../ui/skeleton.tsx'
import { showToast, useAction } from '../../../ui/toast.tsx'
import {
  revokeOtherSessions,
  revokeSession,
  type SignedInSession,
  sessionsQuery,
} from '../queries.ts'

/** The person's sessions, which can be ended. */
export function SessionsSection() {
  const { t } = useI18n()
  const client = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const revokeOthers = useAction(async () => {
    await revokeOtherSessions()
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    showToast({ title: t('settings.sessions.othersRevoked') })
  })
  return (
    <CardSection
      title={t('settings.sessions')}
      actions={
        (sessions.data?.length ?? 0) > 1 ? (
          <Button size="sm" loading={revokeOthers.isPending} onClick={() => revokeOthers.mutate()}>
            {t('settings.sessions.revokeOthers')}
          </Button>
        ) : null
      }
    >
      <Answer of={sessions} loading={<SkeletonRows count={1} />}>
        {(all) => (
          <ul className="border-line border-t">
            {all.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Answer>
    </CardSection>
  )
}

function SessionRow({ session }: { session: SignedInSession }) {
  const { t, format } = useI18n()
  const client = useQueryClient()
  const device = session.userAgent || t('settings.sessions.unknown')
  const revoke = useAction(async () => {
    await revokeSession(session.token)
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    showToast({ title: t('settings.sessions.revoked') })
  })
  const Icon = /iOS|Android/.test(device) ? Smartphone : Monitor
  return (
    <li className="flex items-center gap-3 border-line border-b py-2.5">
      <Icon size={16} className="shrink-0 text-faint" />
      <div className="flex min-w-0 flex-1 flex-col">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{device}</span>
          {session.current ? <Chip tone="ok">{t('settings.sessions.this')}</Chip> : null}
        </span>
        <span className="text-faint text-sm">
          <Parts>
            {t('settings.sessions.since', { date: format.dateTime(session.createdAt) })}
            {t('settings.sessions.until', { date: format.date(session.expiresAt) })}
          </Parts>
        </span>
      </div>
      {session.current ? null : (
        <Button
          size="sm"
          aria-label={t('settings.sessions.revokeOf', { device })}
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
        >
          {t('settings.sessions.revoke')}
        </Button>
      )}
    </li>
  )
}
