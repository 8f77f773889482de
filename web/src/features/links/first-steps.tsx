import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import { errorText } from '../../ui/errors.ts'
import { FormError } from '../../ui/field.tsx'
import { Submit } from '../../ui/form.tsx'
import { Card } from '../../ui/page.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { createKey, keysQuery } from '../keys/calls.ts'
import type { LinkActions } from './actions.ts'
import { type LinkList, linksQuery } from './calls.ts'

/** With more links than this, the checklist is hidden. */
const FEW = 5
/** How often the list is reloaded while the first click is awaited. */
const RELOAD_MS = 3_000

/** A first link by one field, and a checklist of three steps: link, click, key. */
export function FirstSteps({
  list,
  actions,
}: {
  /** Undefined: loading. */
  list: LinkList | undefined
  actions: LinkActions
}) {
  const { t } = useI18n()
  const place = usePlace()
  const { workspace } = place
  const links = list?.data ?? []
  const total = list?.pagination.total ?? 0
  const mayMakeKeys = place.may('keys:write')
  const keys = useQuery({ ...keysQuery(workspace.id), enabled: mayMakeKeys && total <= FEW }).data
  const first = links.at(-1)
  const steps = {
    link: total > 0,
    click: links.some(({ clicks }) => clicks.total > 0),
    key: !mayMakeKeys || (keys !== undefined && keys.length > 0),
  }
  const isAwaited = place.may('links:write') && steps.link && !steps.click && total <= FEW
  useQuery({
    ...linksQuery(workspace.id, {}),
    enabled: isAwaited,
    refetchInterval: RELOAD_MS,
  })
  // A key created here stays visible until the page is left: it is shown once.
  const [key, setKey] = useState<string | null>(null)
  const isDone = steps.link && steps.click && steps.key && key === null
  if (list === undefined || !place.may('links:write')) return null
  if (total > FEW || isDone || (mayMakeKeys && keys === undefined)) return null
  return (
    <Card className="mb-6 flex flex-col gap-5 p-5">
      <h2 className="font-semibold text-lg">{t('links.first.title')}</h2>
      <ol className="flex flex-col gap-5">
        <Step done={steps.link} title={t('links.first.link')}>
          {steps.link ? null : <FirstLink actions={actions} />}
        </Step>
        <Step done={steps.click} title={t('links.first.click')}>
          {steps.click || first === undefined ? null : (
            <a
              href={first.short_url}
              target="_blank"
              rel="noreferrer"
              className="w-fit text-accent-text underline underline-offset-2"
            >
              <bdi dir="ltr">{first.short_url}</bdi>
            </a>
          )}
        </Step>
        {mayMakeKeys ? (
          <Step done={steps.key} title={t('links.first.key')}>
            {steps.key && key === null ? null : <FirstKey made={key} onMade={setKey} />}
          </Step>
        ) : null}
      </ol>
    </Card>
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
function FirstKey({ made, onMade }: { made: string | null; onMade: (key: string) => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const { instance, workspace } = usePlace()
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () =>
      createKey({ name: 'curl', scopes: ['links:read', 'links:write'], expires_at: null }),
    onSuccess({ key }) {
      onMade(key)
      void client.invalidateQueries({ queryKey: [workspace.id, 'keys'] })
    },
  })
  const line = [
    `curl ${instance.base_url.replace(/\/$/, '')}/api/v1/links \\`,
    `  -H "Authorization: Bearer ${made ?? '…'}" \\`,
    '  --json \'{"destination_url":"https://example.com/"}\'',
  ].join('\n')
  return (
    <>
      <FormError message={make.error === null ? null : errorText(make.error, i18n)} />
      {made === null ? (
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
