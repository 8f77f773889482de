import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { MadeKey } from './calls.ts'
import { curlLine, hasTools, mcpLine } from './curl.ts'

/** A new key, shown only once. Leaving the panel needs a confirmation that it is stored. */
export function MadeDialog({
  made,
  replaced,
  onClose,
}: {
  made: MadeKey
  /** The key replaces another, which works for this long. */
  replaced?: { overlapHours: number } | undefined
  onClose: () => void
}) {
  const { t, format } = useI18n()
  const { instance } = usePlace()
  const [kept, setKept] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [madeAt] = useState(() => Date.now())
  // Navigating away asks in the same panel.
  const blocker = useBlocker({
    shouldBlockFn: () => !kept,
    enableBeforeUnload: () => !kept,
    withResolver: true,
  })
  const blocked = blocker.status === 'blocked'
  useEffect(() => {
    if (blocked) setLeaving(true)
  }, [blocked])
  const close = () => {
    if (kept) onClose()
    else setLeaving(true)
  }
  const stay = () => {
    setLeaving(false)
    if (blocker.status === 'blocked') blocker.reset()
  }
  const leave = () => {
    if (blocker.status === 'blocked') blocker.proceed()
    onClose()
  }
  const text =
    replaced === undefined
      ? t('keys.made.text')
      : replaced.overlapHours === 0
        ? t('keys.made.rotatedNow')
        : t('keys.made.rotated', {
            date: format.dateTime(madeAt + replaced.overlapHours * 3_600_000),
          })
  return (
    <Dialog
      title={replaced === undefined ? t('keys.made') : t('keys.rotated', { name: made.name })}
      description={text}
      footer={
        leaving ? (
          <>
            <p role="alert" className="basis-full text-bad text-sm">
              {t('keys.made.leave')}
            </p>
            <Button variant="danger" onClick={leave}>
              {t('keys.made.leaveAnyway')}
            </Button>
            <Button variant="primary" onClick={stay}>
              {t('keys.made.stay')}
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={close}>
            {t('keys.made.close')}
          </Button>
        )
      }
    >
      <section
        aria-label={t('keys.made.key')}
        className="flex flex-col gap-3 rounded-sm border border-line bg-sunken p-3"
      >
        <code dir="ltr" className="select-all text-start text-sm [overflow-wrap:anywhere]">
          {made.key}
        </code>
        <CopyButton
          words
          size="md"
          text={made.key}
          label={t('keys.made.copy')}
          className="self-start"
        />
      </section>
      <section className="flex flex-col gap-1.5" aria-label={t('keys.made.try')}>
        <h3 className="font-medium text-sm">{t('keys.made.try')}</h3>
        <CodeBlock code={curlLine(instance.base_url, made.key, made.scopes)} />
      </section>
      {hasTools(made.scopes) && (
        <section className="flex flex-col gap-1.5" aria-label={t('keys.made.mcp')}>
          <h3 className="font-medium text-sm">{t('keys.made.mcp')}</h3>
          <CodeBlock code={mcpLine(instance.base_url, made.key)} />
        </section>
      )}
      <Checkbox label={t('keys.made.kept')} checked={kept} onChange={setKept} />
    </Dialog>
  )
}
