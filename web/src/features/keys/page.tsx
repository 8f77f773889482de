import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { Refused } from '../../app/refused.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { CreateDialog } from './create.tsx'
import { curlLine } from './curl.ts'
import { EditDialog } from './edit.tsx'
import { KeyTable } from './list.tsx'
import { MadeDialog } from './made.tsx'
import { type ApiKey, keysQuery, type MadeKey } from './queries.ts'
import { RevokeDialog } from './revoke.tsx'
import { RotateDialog } from './rotate.tsx'

const route = getRouteApi('/shell/keys')

/** The open dialog, besides that of a new key. */
type Open =
  | { kind: 'edit' | 'revoke' | 'rotate'; key: ApiKey }
  | { kind: 'made'; made: MadeKey; replaced?: { overlapHours: number } }

/** The API keys of the workspace. */
export function KeysPage() {
  const { t } = useI18n()
  const { may } = usePlace()
  if (!may('keys:write')) return <Refused title={t('keys.title')} text={t('keys.forbidden')} />
  return <Keys />
}

function Keys() {
  const { t } = useI18n()
  const { workspace, instance } = usePlace()
  const keys = useQuery(keysQuery(workspace.id))
  const [open, setOpen] = useState<Open | null>(null)
  const [showOld, setShowOld] = useState(false)
  const close = () => setOpen(null)
  const { create: creating } = route.useSearch()
  const navigate = route.useNavigate()
  const created = () => void navigate({ search: {}, replace: true })
  const create = (
    <Button
      variant="primary"
      icon={<Plus />}
      onClick={() => void navigate({ search: { create: true } })}
    >
      {t('keys.create')}
    </Button>
  )
  const all = keys.data ?? []
  const old = all.filter(({ status }) => status === 'revoked' || status === 'expired')
  const shown = showOld ? all : all.filter((key) => !old.includes(key))
  return (
    <Page title={t('keys.title')} actions={create}>
      <Answer of={keys} loading={<SkeletonRows count={3} tall />}>
        {() =>
          shown.length === 0 ? (
            <Empty
              icon={<KeyRound size={28} />}
              title={t('keys.empty.title')}
              action={create}
              program={
                <CodeBlock code={curlLine(instance.base_url, '$SLUGLINE_KEY', ['links:read'])} />
              }
            >
              <p>{t('keys.empty.text')}</p>
            </Empty>
          ) : (
            <KeyTable
              keys={shown}
              onEdit={(key) => setOpen({ kind: 'edit', key })}
              onRevoke={(key) => setOpen({ kind: 'revoke', key })}
              onRotate={(key) => setOpen({ kind: 'rotate', key })}
            />
          )
        }
      </Answer>
      {old.length > 0 ? (
        <Button
          variant="ghost"
          size="sm"
          className="-ms-2 mt-3 h-auto! min-h-7 max-w-full whitespace-normal! text-start pointer-coarse:min-h-10"
          onClick={() => setShowOld(!showOld)}
        >
          {showOld ? t('keys.hideOld') : t('keys.showOld', { count: old.length })}
        </Button>
      ) : null}
      {creating ? (
        <CreateDialog
          onClose={created}
          onMade={(made) => {
            setOpen({ kind: 'made', made })
            created()
          }}
        />
      ) : null}
      {open?.kind === 'edit' ? <EditDialog apiKey={open.key} onClose={close} /> : null}
      {open?.kind === 'revoke' ? <RevokeDialog apiKey={open.key} onClose={close} /> : null}
      {open?.kind === 'rotate' ? (
        <RotateDialog
          apiKey={open.key}
          onClose={close}
          onMade={(made, overlapHours) =>
            setOpen({ kind: 'made', made, replaced: { overlapHours } })
          }
        />
      ) : null}
      {open?.kind === 'made' ? (
        <MadeDialog made={open.made} replaced={open.replaced} onClose={close} />
      ) : null}
    </Page>
  )
}
