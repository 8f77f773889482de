import { useQuery } from '@tanstack/react-query'
import { Globe, Plus } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { DomainCard } from './card.tsx'
import { AddDialog, DeleteDialog } from './dialogs.tsx'
import { type Domain, domainsQuery } from './queries.ts'
import { SettingsDialog } from './settings.tsx'

/** What is open on the page: one thing at a time. */
type Open = { kind: 'add' } | { kind: 'settings' | 'delete'; domain: Domain }

/** The domains of the workspace. */
export function DomainsPage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const domains = useQuery(domainsQuery(workspace.id))
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const add = may('domains:write') ? (
    <Button variant="primary" icon={<Plus />} onClick={() => setOpen({ kind: 'add' })}>
      {t('domains.add')}
    </Button>
  ) : undefined
  return (
    <Page title={t('usage.domains')} actions={add}>
      <Answer of={domains}>
        {(domains) =>
          domains.length === 0 ? (
            <Empty icon={<Globe size={28} />} title={t('domains.empty.title')} action={add}>
              <p>{t('domains.empty.text')}</p>
            </Empty>
          ) : (
            <ul className="flex flex-col gap-4">
              {domains.map((domain) => (
                <DomainCard
                  key={domain.id}
                  domain={domain}
                  onSettings={() => setOpen({ kind: 'settings', domain })}
                  onDelete={() => setOpen({ kind: 'delete', domain })}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      {open?.kind === 'add' ? <AddDialog onClose={close} /> : null}
      {open?.kind === 'settings' ? <SettingsDialog domain={open.domain} onClose={close} /> : null}
      {open?.kind === 'delete' ? <DeleteDialog domain={open.domain} onClose={close} /> : null}
    </Page>
  )
}
