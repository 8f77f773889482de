import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { copyText } from '../lib/clipboard.ts'
import { Button, IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { showToast } from './toast.tsx'

/** Copies a text. False: the browser didn't allow it, which is said. */
export function useCopyText(): (text: string) => Promise<boolean> {
  const { t } = useI18n()
  return async (text) => {
    const isCopied = await copyText(text)
    if (!isCopied) showToast({ title: t('common.notCopied'), bad: true })
    return isCopied
  }
}

/** Whether a text was just copied, and the function that copies. */
function useCopied(onCopied?: () => void): [boolean, (text: string) => Promise<void>] {
  const copy = useCopyText()
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return
    const timer = setTimeout(() => setCopied(0), 1_600)
    return () => clearTimeout(timer)
  }, [copied])
  return [
    copied > 0,
    async (text) => {
      if (!(await copy(text))) return
      setCopied((count) => count + 1)
      onCopied?.()
    },
  ]
}

/** Copies a text, with feedback. */
export function CopyButton({
  text,
  label,
  words = false,
  size = 'sm',
  onCopied,
  className,
}: {
  text: string
  /** Its name: "Copy the short link". */
  label: string
  /** With the label beside the icon. */
  words?: boolean
  size?: 'sm' | 'md'
  onCopied?: () => void
  className?: string
}) {
  const { t } = useI18n()
  const [copied, copy] = useCopied(onCopied)
  const icon = copied ? <Check className="text-ok" /> : <Copy />
  const more = className === undefined ? {} : { className }
  return (
    <>
      {words ? (
        <Button size={size} icon={icon} onClick={() => copy(text)} {...more}>
          {copied ? t('common.copied') : label}
        </Button>
      ) : (
        <IconButton size={size} label={label} icon={icon} onClick={() => copy(text)} {...more} />
      )}
      <span role="status" className="sr-only">
        {copied ? t('common.copied') : ''}
      </span>
    </>
  )
}

/** Code, with a button that copies it. */
export function CodeBlock({ code, className }: { code: string; className?: string }) {
  const { t } = useI18n()
  return (
    <div
      dir="ltr"
      className={cx(
        'flex items-start gap-2 rounded-sm border border-line bg-sunken py-1 ps-3 pe-1 text-left',
        className,
      )}
    >
      <pre className="min-w-0 flex-1 whitespace-pre-wrap py-1.5 font-mono text-sm [overflow-wrap:anywhere]">
        <code>{code}</code>
      </pre>
      <CopyButton size="md" text={code} label={t('common.copy')} />
    </div>
  )
}
