import { Check, Clock, Minus, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type MessageKey, useI18n } from '../../i18n/index.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import type { Domain, DomainSetup } from './queries.ts'
import { TxtRecord } from './txt-record.tsx'

type Status = DomainSetup['certificate']['status']

const ICONS = { done: Check, failed: TriangleAlert, waiting: Clock, not_needed: Minus } as const
const TONES: Readonly<Record<Status, string>> = {
  done: 'text-ok',
  failed: 'text-warn',
  waiting: 'text-faint',
  not_needed: 'text-faint',
}

/** What each error of a step means. Others are codes of the resolver. */
const ERRORS: Readonly<Record<string, MessageKey>> = {
  NO_RECORD: 'domains.found.none',
  ANOTHER_ADDRESS: 'domains.error.ANOTHER_ADDRESS',
  CERTIFICATE_INVALID: 'domains.error.CERTIFICATE_INVALID',
  UNREACHABLE: 'domains.error.UNREACHABLE',
  ANOTHER_SERVER: 'domains.error.ANOTHER_SERVER',
}

/** The steps until links work on a domain, checked while the page is open. */
export function SetupSteps({
  domain,
  setup,
}: {
  domain: Domain
  /** Absent: not checked yet. */
  setup: DomainSetup | undefined
}) {
  const { t } = useI18n()
  const isVerified = domain.status === 'active'
  const dns = setup?.dns ?? { status: 'waiting' as const, error: null, expected: [], found: [] }
  const waiting = { status: 'waiting' as const, error: null }
  const { certificate = waiting, connection = waiting } = setup ?? {}
  return (
    <div className="flex flex-col gap-4">
      <ol className="flex flex-col gap-4">
        <Step title={t('domains.step.verification')} status={isVerified ? 'done' : 'failed'}>
          {isVerified ? null : <TxtRecord domain={domain} />}
        </Step>
        <Step title={t('domains.step.dns')} status={dns.status}>
          <Problem error={dns.error} />
          {dns.status === 'done' ? null : <Records host={domain.host} {...dns} />}
        </Step>
        <Step title={t('domains.step.certificate')} status={certificate.status}>
          <Problem error={certificate.error} />
        </Step>
        <Step title={t('domains.step.connection')} status={connection.status}>
          <Problem error={connection.error} />
        </Step>
      </ol>
      <p className="text-faint text-sm">{t('domains.live')}</p>
    </div>
  )
}

function Step({ title, status, children }: { title: string; status: Status; children: ReactNode }) {
  const { t } = useI18n()
  const Icon = ICONS[status]
  return (
    <li className="flex gap-3">
      <Icon size={18} className={cx('mt-0.5 shrink-0', TONES[status])} aria-hidden />
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{title}</span>
          <span role="status" className={cx('text-sm', TONES[status])}>
            {t(`domains.state.${status}`)}
          </span>
        </p>
        {children}
      </div>
    </li>
  )
}

function Problem({ error }: { error: string | null }) {
  const { t } = useI18n()
  if (error === null) return null
  const known = ERRORS[error]
  return (
    <p className="text-muted text-sm">
      {t(known ?? 'domains.found.none')}
      {known === undefined ? <code className="ms-2">{error}</code> : null}
    </p>
  )
}

type RecordsProps = Pick<DomainSetup['dns'], 'expected' | 'found'> & { host: string }

/** The records to create, and those that were found instead. */
function Records({ host, expected, found }: RecordsProps) {
  const { t } = useI18n()
  return (
    <>
      <p className="text-sm">
        {t(expected.length === 0 ? 'domains.dns.unknown' : 'domains.dns.text')}
      </p>
      <dl className="grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        <dt className="text-muted sm:pt-2.5">{t('domains.record.name')}</dt>
        <dd className="min-w-0">
          <CodeBlock code={host} />
        </dd>
        {expected.map(({ type, value }) => (
          <div key={`${type} ${value}`} className="contents">
            <dt dir="ltr" className="text-muted sm:pt-2.5 rtl:text-right">
              {type}
            </dt>
            <dd className="min-w-0">
              <CodeBlock code={value} />
            </dd>
          </div>
        ))}
        {found.length > 0 ? (
          <>
            <dt className="text-muted">{t('domains.found')}</dt>
            <dd
              dir="ltr"
              className="min-w-0 font-mono text-sm [overflow-wrap:anywhere] rtl:text-right"
            >
              {found.map(({ type, value }) => (
                <div key={`${type} ${value}`}>
                  {type} {value}
                </div>
              ))}
            </dd>
          </>
        ) : null}
      </dl>
    </>
  )
}
