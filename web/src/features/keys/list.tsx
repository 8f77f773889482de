import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { MenuItem, MoreMenu } from '../../ui/menu.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { CreatedBy } from '../members/person.tsx'
import type { ApiKey } from './queries.ts'
import { RestrictedTo } from './restricted-to.tsx'

const TONES: Readonly<Record<ApiKey['status'], Tone>> = {
  active: 'ok',
  rotating: 'warn',
  expired: 'neutral',
  revoked: 'bad',
}

interface Actions {
  onEdit: (key: ApiKey) => void
  onRevoke: (key: ApiKey) => void
  onRotate: (key: ApiKey) => void
}

/** The keys: a table, or a list if there is little room. */
export function KeyTable({ keys, ...actions }: { keys: readonly ApiKey[] } & Actions) {
  const { t } = useI18n()
  return (
    <>
      <Table className="hidden lg:table">
        <thead>
          <tr>
            <Th className="ps-0">{t('keys.column.name')}</Th>
            <Th>{t('keys.column.key')}</Th>
            <Th>{t('keys.column.may')}</Th>
            <Th>{t('keys.column.used')}</Th>
            <Th>{t('keys.column.expires')}</Th>
            <Th>{t('keys.column.status')}</Th>
            <Th>
              <span className="sr-only">{t('common.more')}</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <Td className="max-w-64 py-2 ps-0">
                <div dir="auto" title={key.name} className="w-fit max-w-full truncate font-medium">
                  {key.name}
                </div>
                <Created apiKey={key} />
              </Td>
              <Td>
                <Prefix apiKey={key} />
              </Td>
              <Td className="max-w-80 py-2">
                <Scopes apiKey={key} />
                <Restrictions apiKey={key} />
              </Td>
              <Td>
                <Time at={key.last_used_at} never={t('keys.used.never')} />
              </Td>
              <Td>
                <Time at={key.expires_at} never={t('keys.expiry.never')} />
              </Td>
              <Td>
                <Status apiKey={key} />
              </Td>
              <Td end className="pe-0">
                <ActionsMenu apiKey={key} {...actions} />
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
      <ul className="flex flex-col lg:hidden">
        {keys.map((key) => (
          <li key={key.id} className="flex gap-2 border-line border-b py-3 first:border-t">
            <div className="flex min-w-0 flex-1 flex-col gap-1.5">
              <div className="flex flex-wrap items-center gap-2">
                <span className="font-medium [overflow-wrap:anywhere]">{key.name}</span>
                <Status apiKey={key} />
              </div>
              <div className="flex flex-wrap items-center gap-2">
                <Prefix apiKey={key} />
                <Scopes apiKey={key} />
              </div>
              <Restrictions apiKey={key} />
              <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-muted text-sm">
                <dt>{t('keys.column.used')}</dt>
                <dd>
                  <Time at={key.last_used_at} never={t('keys.used.never')} />
                </dd>
                <dt>{t('keys.column.expires')}</dt>
                <dd>
                  <Time at={key.expires_at} never={t('keys.expiry.never')} />
                </dd>
              </dl>
              <Created apiKey={key} />
            </div>
            <ActionsMenu apiKey={key} {...actions} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface Of {
  apiKey: ApiKey
}

function Prefix({ apiKey }: Of) {
  return (
    <code dir="ltr" className="whitespace-nowrap text-sm">
      slug_{apiKey.prefix}_…
    </code>
  )
}

function Created({ apiKey }: Of) {
  const { t, format } = useI18n()
  const { created_at: at, created_by: by } = apiKey
  return (
    <div className="text-faint text-xs [overflow-wrap:anywhere]">
      {by === null ? t('keys.created', { date: format.date(at) }) : <CreatedBy at={at} by={by} />}
    </div>
  )
}

function Scopes({ apiKey }: Of) {
  const { t } = useI18n()
  return (
    <span className="flex flex-wrap gap-1">
      {apiKey.scopes.map((scope) => (
        <Chip key={scope}>{t(`keys.scope.short.${scope}`)}</Chip>
      ))}
    </span>
  )
}

function Restrictions({ apiKey: { restrictions } }: Of) {
  return restrictions === null ? null : (
    <div className="mt-1">
      <RestrictedTo restrictions={restrictions} />
    </div>
  )
}

function Time({ at, never }: { at: string | null; never: string }) {
  return at === null ? <span className="text-faint">{never}</span> : <RelativeTime time={at} />
}

function Status({ apiKey }: Of) {
  const { t } = useI18n()
  return <Chip tone={TONES[apiKey.status]}>{t(`keys.status.${apiKey.status}`)}</Chip>
}

/** The actions for an active key. */
function ActionsMenu({ apiKey, onEdit, onRevoke, onRotate }: Of & Actions) {
  const { t } = useI18n()
  if (apiKey.status === 'revoked' || apiKey.status === 'expired') return null
  return (
    <MoreMenu label={t('keys.actions', { name: apiKey.name })}>
      <MenuItem icon={<Pencil />} onClick={() => onEdit(apiKey)}>
        {t('keys.edit')}
      </MenuItem>
      {apiKey.status === 'active' ? (
        <MenuItem icon={<RefreshCw />} onClick={() => onRotate(apiKey)}>
          {t('keys.rotate')}
        </MenuItem>
      ) : null}
      <MenuItem danger icon={<Trash2 />} onClick={() => onRevoke(apiKey)}>
        {t('keys.revoke')}
      </MenuItem>
    </MoreMenu>
  )
}
