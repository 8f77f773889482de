import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { Check, FileUp, Globe, UserPlus, X } from 'lucide-react'
import { type ReactNode, type SubmitEvent, Suspense, useEffect, useState } from 'react'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { Button, buttonClass, IconButton } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { cx } from '../../../ui/cx.ts'
import { errorText } from '../../../ui/errors.ts'
import { FormError } from '../../../ui/field.tsx'
import { Submit } from '../../../ui/form.tsx'
import { Card } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { createKey, keysQuery } from '../../keys/queries.ts'
import type { LinkActions } from '../actions.ts'
import { type LinkList, linksQuery } from '../queries.ts'
import type { Rows } from './rows.ts'

const FirstVisits = lazyComponent(() => import('./first-visits.tsx'), 'FirstVisits')

/** With more links than this, the checklist is hidden. */
const FEW = 5
/** How often the list is reloaded while the first click is awaited. */
const RELOAD_MS = 3_000

/** The key of local storage for the dismissal of the steps in a workspace. */
const dismissedKey = (workspace: string) => `slugline.first-steps.${workspace}`

/**
 * A first link by one field, and a checklist of three steps: link, click, key. Then where to go next,
 * until it is dismissed.
 */
export function FirstSteps({
  list,
  rows: { actions, onQr },
}: {
  /** Undefined: loading. */
  list: LinkList | undefined
  rows: Pick<Rows, 'actions' | 'onQr'>
}) {
  const { t } = useI18n()
  const place = usePlace()
  const { workspace } = place
  const links = list?.data ?? []
  const total = list?.pagination.total ?? 0
  const mayCreateKeys = place.may('keys:write')
  const keys = useQuery({ ...keysQuery(workspace.id), enabled: mayCreateKeys && total <= FEW }).data
  const first = links.at(-1)
  const [visited, setVisited] = useState(false)
  const steps = {
    link: total > 0,
    click: visited || links.some(({ clicks }) => clicks.total > 0),
    key: !mayCreateKeys || (keys !== undefined && keys.length > 0),
  }
  const writable = place.may('links:write')
  const isAwaited = writable && steps.link && !steps.click && total <= FEW
  useQuery({
    ...linksQuery(workspace.id, {}),
    enabled: isAwaited,
    refetchInterval: RELOAD_MS,
  })
  // A key created here stays visible until the page is left: it is shown once.
  const [key, setKey] = useState<string | null>(null)
  const [dismissed, setDismissed] = useState(
    () => localStorage.getItem(dismissedKey(workspace.id)) !== null,
  )
  const isKnown = list !== undefined && (!mayCreateKeys || keys !== undefined)
  const isDone = steps.link && steps.click && steps.key
  // Steps that are done while the page is open stay, with what to do next.
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isKnown && !isDone) setShown(true)
  }, [isKnown, isDone])
  if (!isShown || !isKnown || !writable || total > FEW) return null
  // Without links the page has nothing else.
  if (dismissed && steps.link) return null
  const dismiss = () => {
    localStorage.setItem(dismissedKey(workspace.id), 'dismissed')
    setDismissed(true)
  }
  return (
    <Card className="mb-6 flex flex-col gap-5 p-5">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold text-lg">{t('links.first.title')}</h2>
        {steps.link ? (
          <IconButton label={t('links.first.dismiss')} icon={<X />} onClick={dismiss} />
        ) : null}
      </div>
      <ol className="flex flex-col gap-5">
        <Step done={steps.link} title={t('links.first.link')}>
          {steps.link ? null : <FirstLink actions={actions} />}
        </Step>
        <Step done={steps.click} title={t('links.first.click')}>
          {first === undefined ? null : (
            <Suspense fallback={<Skeleton className="h-16 w-full" />}>
              <FirstVisits
                link={first}
                onQr={() => onQr(first)}
                onVisit={() => {
                  setVisited(true)
                  void actions.refresh()
                }}
              />
            </Suspense>
          )}
        </Step>
        {mayCreateKeys ? (
          <Step done={steps.key} title={t('links.first.key')}>
            {steps.key && key === null ? null : <FirstKey created={key} onCreated={setKey} />}
          </Step>
        ) : null}
      </ol>
      {steps.link ? <NextSteps /> : null}
    </Card>
  )
}

/** Pages to go on with. */
function NextSteps() {
  const { t } = useI18n()
  const { may } = usePlace()
  return (
    <section aria-label={t('links.first.next')} className="flex flex-col gap-2">
      <h3 className="font-medium">{t('links.first.next')}</h3>
      <div className="flex flex-wrap gap-2">
        {may('members:manage') ? (
          <RouterLink
            to="/members"
            search={{ create: true }}
            className={buttonClass('secondary', 'sm')}
          >
            <UserPlus />
            {t('members.invite')}
          </RouterLink>
        ) : null}
        {may('domains:write') ? (
          <RouterLink to="/domains" className={buttonClass('secondary', 'sm')}>
            <Globe />
            {t('domains.add')}
          </RouterLink>
        ) : null}
        <RouterLink to="/import" className={buttonClass('secondary', 'sm')}>
          <FileUp />
          {t('imports.title')}
        </RouterLink>
      </div>
    </section>
  )
}

function Step({ done, title, children }: { done: boolean; title: string; children: ReactNode }) {
  const { t } = useI18n()
  return (
    <li className="flex gap-3">
      <span
        className={cx(
          'mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border',
          done ? 'border-ok bg-ok text-canvas' : 'border-line-strong',
        )}
      >
        {done ? <Check size={12} /> : null}
        <span className="sr-only">{t(done ? 'links.first.done' : 'links.first.open')}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <span className={done ? 'text-muted' : 'font-medium'}>{title}</span>
        {children}
      </div>
    </li>
  )
}

function FirstLink({ actions }: { actions: LinkActions }) {
  const { t } = useI18n()
  const [url, setUrl] = useState('')
  const create = useMutation({ mutationFn: () => actions.createAndCopy(url) })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const problem = create.error
  const i18n = useI18n()
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-2">
      <TextField
        hideLabel
        label={t('links.field.destination')}
        error={problem === null ? undefined : errorText(problem, i18n)}
        className="min-w-48 flex-1"
        type="url"
        dir="ltr"
        inputMode="url"
        autoComplete="off"
        placeholder={t('links.placeholder.destination')}
        value={url}
        onChange={setUrl}
      />
      <Submit of={create}>{t('links.first.create')}</Submit>
    </form>
  )
}

/** A working command, with a key created for it. */
function FirstKey({
  created,
  onCreated,
}: {
  created: string | null
  onCreated: (key: string) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { instance, workspace } = usePlace()
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () =>
      createKey({ name: 'curl', scopes: ['links:read', 'links:write'], expires_at: null }),
    onSuccess({ key }) {
      onCreated(key)
      void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'keys') })
    },
  })
  const line = [
    `curl ${instance.base_url.replace(/\/$/, '')}/api/v1/links \\`,
    `  -H "Authorization: Bearer ${created ?? '…'}" \\`,
    '  --json \'{"destination_url":"https://example.com/"}\'',
  ].join('\n')
  return (
    <>
      <FormError message={make.error === null ? null : errorText(make.error, i18n)} />
      {created === null ? (
        <Button className="self-start" loading={make.isPending} onClick={() => make.mutate()}>
          {t('links.first.makeKey')}
        </Button>
      ) : (
        <>
          <p className="text-muted text-sm">{t('links.first.keyOnce')}</p>
          <CodeBlock code={line} />
        </>
      )}
    </>
  )
}
