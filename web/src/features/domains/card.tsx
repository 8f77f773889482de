import { useQuery } from '@tanstack/react-query'
import { Settings, Trash2 } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { FoldedMisses } from './misses.tsx'
import { type Domain, setupQuery } from './queries.ts'
import { SetupSteps } from './setup.tsx'

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
  const { workspace } = usePlace()
  const setup = useQuery(setupQuery(workspace.id, domain)).data
  const isOpen = status === 'active' && setup?.ready === false
  const label = isOpen
    ? t('domains.status.setup')
    : status === 'active'
      ? t('links.status.active')
      : t(`domains.status.${status}`)
  return (
    <li className="flex flex-col gap-4 rounded-md border border-line p-4">
      <div className="flex items-start gap-3">
        <div className="flex min-h-7 pointer-coarse:min-h-10 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 dir="ltr" className="min-w-0 font-medium [overflow-wrap:anywhere]">
            {host}
          </h2>
          <Chip tone={isOpen ? 'warn' : TONES[status]}>{label}</Chip>
          <span className="text-muted text-sm">{t('tags.links', { count: links })}</span>
        </div>
        {may('domains:write') ? (
          <div className="flex gap-1">
            <IconButton
              size="sm"
              label={t('common.labelled', { label: t('shell.settings'), value: host })}
              icon={<Settings size={16} />}
              onClick={onSettings}
            />
            <IconButton
              size="sm"
              label={t('common.labelled', { label: t('domains.delete'), value: host })}
              icon={<Trash2 size={16} />}
              onClick={onDelete}
            />
          </div>
        ) : null}
      </div>
      {status === 'active' && setup?.ready !== false ? null : (
        <SetupSteps domain={domain} setup={setup} />
      )}
      {status === 'pending' ? null : <FoldedMisses host={host} id={domain.id} />}
    </li>
  )
}
