import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Settings, Trash2 } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { FormError } from '../../ui/field.tsx'
import { type Domain, verifyDomain } from './calls.ts'
import { FoldedMisses } from './misses.tsx'

const TONES: Readonly<Record<Domain['status'], Tone>> = {
  pending: 'neutral',
  active: 'ok',
  failing: 'bad',
}

/** A domain, and the next steps for it. */
export function DomainCard({
  domain,
  onSettings,
  onDelete,
}: {
  domain: Domain
  onSettings: () => void
  onDelete: () => void
}) {
  const { t } = useI18n()
  const { may } = usePlace()
  const { host, status, links } = domain
  const label = status === 'active' ? t('links.status.active') : t(`domains.status.${status}`)
  return (
    <li className="flex flex-col gap-4 rounded-md border border-line p-4">
      <div className="flex items-start gap-3">
        <div className="flex min-h-7 pointer-coarse:min-h-10 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 dir="ltr" className="min-w-0 font-medium [overflow-wrap:anywhere]">
            {host}
          </h2>
          <Chip tone={TONES[status]}>{label}</Chip>
          <span className="text-muted text-sm">{t('tags.links', { count: links })}</span>
        </div>
        {may('domains:write') ? (
          <div className="flex gap-1">
            <IconButton
              size="sm"
              label={`${t('shell.settings')}: ${host}`}
              icon={<Settings size={16} />}
              onClick={onSettings}
            />
            <IconButton
              size="sm"
              label={`${t('domains.delete')}: ${host}`}
              icon={<Trash2 size={16} />}
              onClick={onDelete}
            />
          </div>
        ) : null}
      </div>
      {status === 'active' ? null : <DnsRecord domain={domain} />}
      {status === 'pending' ? null : <FoldedMisses host={host} id={domain.id} />}
    </li>
  )
}

/** The record to create, and what was found instead. */
function DnsRecord({ domain: { id, status, verification } }: { domain: Domain }) {
  const { t, format } = useI18n()
  const { workspace, may } = usePlace()
  const client = useQueryClient()
  const check = useMutation({
    mutationFn: () => verifyDomain(id),
    onSuccess: () => client.invalidateQueries({ queryKey: [workspace.id, 'domains'] }),
  })
  const { name, value, found, error, checked_at, served_until } = verification
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">{t('domains.record')}</p>
      {status === 'failing' && served_until !== null ? (
        <p className="text-bad text-sm">
          {t('domains.failing', { date: format.dateTime(served_until) })}
        </p>
      ) : null}
      <dl className="grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        <dt className="text-muted sm:pt-2.5">{t('domains.record.name')}</dt>
        <dd className="min-w-0">
          <CodeBlock code={name} />
        </dd>
        <dt className="text-muted sm:pt-2.5">{t('domains.record.value')}</dt>
        <dd className="min-w-0">
          <CodeBlock code={value} />
        </dd>
        {found.length > 0 ? (
          <>
            <dt className="text-muted">{t('domains.found')}</dt>
            <dd dir="ltr" className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">
              {found.map((text) => (
                <div key={text}>{text}</div>
              ))}
            </dd>
          </>
        ) : null}
      </dl>
      {checked_at !== null && found.length === 0 ? (
        <p className="text-muted text-sm">
          {t('domains.found.none')}
          {error === null ? null : <code className="ms-2">{error}</code>}
        </p>
      ) : null}
      <FormError error={check.error} />
      {may('domains:write') ? (
        <div>
          <Button loading={check.isPending} onClick={() => check.mutate()}>
            {t('domains.check')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
