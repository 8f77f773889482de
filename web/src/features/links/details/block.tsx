import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../../api/client.ts'
import { useI18n } from '../../../i18n/index.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { Section } from '../../../ui/page.tsx'
import { TextareaField } from '../../../ui/text-field.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toast.tsx'
import type { Link } from '../queries.ts'

/** Why a link is blocked, and the workspace's only appeal. */
export function BlockNotice({ link, writable }: { link: Link; writable: boolean }) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const appeal = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/api/v1/links/{id}/appeal', {
          params: { path: { id: link.id } },
          body: { text },
        }),
      ),
    onSuccess: () => showToast({ title: t('links.block.sent') }),
  })
  if (link.block === null) return null
  const { reason, blocked_at: at } = link.block
  return (
    <Section title={t('links.block.title')}>
      <p dir="auto" className="mb-4 [overflow-wrap:anywhere]">
        {reason ?? t('links.block.listed')}
      </p>
      {at === null ? null : (
        <p className="-mt-3 mb-4 text-faint text-sm">
          <RelativeTime time={at} />
        </p>
      )}
      {reason === null || !writable || appeal.isSuccess ? null : (
        <Form task={appeal} className="flex max-w-xl flex-col gap-3">
          <TextareaField
            label={t('links.block.label')}
            required
            maxLength={1000}
            value={text}
            onChange={setText}
          />
          <Submit of={appeal} variant="secondary" className="self-start">
            {t('links.block.send')}
          </Submit>
        </Form>
      )}
    </Section>
  )
}
