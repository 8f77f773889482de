import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows a secret, which can't be shown again. Leaving needs a confirmation that it is stored, unless it was copied. */
export function SecretDialog({
  title,
  description,
  secret,
  words,
  onClose,
  children,
}: {
  title: string
  description: string
  secret: string
  words: {
    /** What the secret is. */
    name: string
    copy: string
    kept: string
    leave: string
    stay: string
  }
  onClose: () => void
  children?: ReactNode
}) {
  const { t } = useI18n()
  const [kept, setKept] = useState(false)
  const [copied, setCopied] = useState(false)
  const isSafe = kept || copied
  const [leaving, setLeaving] = useState(false)
  // Navigating away asks in the same panel.
  const blocker = useBlocker({
    shouldBlockFn: () => !isSafe,
    enableBeforeUnload: () => !isSafe,
    withResolver: true,
  })
  const blocked = blocker.status === 'blocked'
  useEffect(() => {
    if (blocked) setLeaving(true)
  }, [blocked])
  const close = () => {
    if (isSafe) onClose()
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
  return (
    <Dialog
      title={title}
      description={description}
      footer={
        leaving ? (
          <>
            <p role="alert" className="basis-full text-bad text-sm">
              {words.leave}
            </p>
            <Button variant="danger" onClick={leave}>
              {t('keys.made.leaveAnyway')}
            </Button>
            <Button variant="primary" onClick={stay}>
              {words.stay}
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
        aria-label={words.name}
        className="flex flex-col gap-3 rounded-sm border border-line bg-sunken p-3"
      >
        <code dir="ltr" className="select-all text-start text-sm [overflow-wrap:anywhere]">
          {secret}
        </code>
        <CopyButton
          words
          size="md"
          text={secret}
          label={words.copy}
          onCopied={() => setCopied(true)}
          className="self-start"
        />
      </section>
      {children}
      <Checkbox label={words.kept} checked={kept} onChange={setKept} />
    </Dialog>
  )
}
