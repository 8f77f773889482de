import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { FormError } from '../../ui/field.tsx'
import { type Domain, VERIFY_MS, verifyDomain } from './queries.ts'

/** The TXT record to create, and what was found instead. It is looked for while the page is open. */
export function TxtRecord({ domain: { id, status, verification } }: { domain: Domain }) {
  const { t, format } = useI18n()
  const { workspace, may } = usePlace()
  const client = useQueryClient()
  const check = useMutation({
    // By a press, or by itself: then nothing but the result is shown.
    mutationFn: (_isPressed: boolean) => verifyDomain(id),
    onSuccess: () => client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'domains') }),
  })
  const { mutate, isPending } = check
  const isAutomatic = may('domains:write')
  useEffect(() => {
    if (!isAutomatic || isPending) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') mutate(false)
    }, VERIFY_MS)
    return () => clearInterval(timer)
  }, [isAutomatic, isPending, mutate])
  const { name, value, found, error, checked_at, served_until } = verification
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">{t('domains.record')}</p>
      {status === 'failing' && served_until !== null ? (
        <p className="text-bad text-sm">
          {t('domains.failing', { date: format.dateTime(served_until) })}
        </p>
      ) : null}
      <dl className="grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        <dt className="text-muted sm:pt-2.5">{t('domains.record.name')}</dt>
        <dd className="min-w-0">
          <CodeBlock code={name} />
        </dd>
        <dt className="text-muted sm:pt-2.5">{t('domains.record.value')}</dt>
        <dd className="min-w-0">
          <CodeBlock code={value} />
        </dd>
        {found.length > 0 ? (
          <>
            <dt className="text-muted">{t('domains.found')}</dt>
            <dd
              dir="ltr"
              className="min-w-0 font-mono text-sm [overflow-wrap:anywhere] rtl:text-right"
            >
              {found.map((text) => (
                <div key={text}>{text}</div>
              ))}
            </dd>
          </>
        ) : null}
      </dl>
      {checked_at !== null && found.length === 0 ? (
        <p className="text-muted text-sm">
          {t('domains.found.none')}
          {error === null ? null : <code className="ms-2">{error}</code>}
        </p>
      ) : null}
      <FormError error={check.variables ? check.error : null} />
      {may('domains:write') ? (
        <div>
          <Button loading={check.isPending && check.variables} onClick={() => check.mutate(true)}>
            {t('domains.check')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
