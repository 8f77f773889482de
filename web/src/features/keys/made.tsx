import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { curlLine, hasTools, mcpLine } from './curl.ts'
import type { MadeKey } from './queries.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** A new key, shown only once. */
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
  const [madeAt] = useState(() => Date.now())
  const text =
    replaced === undefined
      ? t('keys.made.text')
      : replaced.overlapHours === 0
        ? t('keys.made.rotatedNow')
        : t('keys.made.rotated', {
            date: format.dateTime(madeAt + replaced.overlapHours * 3_600_000),
          })
  return (
    <SecretDialog
      title={replaced === undefined ? t('keys.made') : t('keys.rotated', { name: made.name })}
      description={text}
      secret={made.key}
      words={{
        name: t('keys.made.key'),
        copy: t('keys.made.copy'),
        kept: t('keys.made.kept'),
        leave: t('keys.made.leave'),
        stay: t('keys.made.stay'),
      }}
      onClose={onClose}
    >
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
    </SecretDialog>
  )
}
