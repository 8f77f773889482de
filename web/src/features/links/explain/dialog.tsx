import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { formError } from '../../auth/errors.ts'
import type { Link } from '../calls.ts'
import { nameOf } from '../text.ts'
import { FIELDS, VisitorFields } from './fields.tsx'
import { Outcome } from './outcome.tsx'
import { explainLink, NOBODY } from './visitor.ts'

/** Asks the redirect where a described visitor of a link would go, and why. */
export function ExplainDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const [visitor, setVisitor] = useState(NOBODY)
  const formId = useId()
  const ask = useMutation({
    mutationFn: async () => (await explainLink(link.id, visitor)).data,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    ask.mutate()
  }
  return (
    <Dialog
      open
      shape="wide"
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('links.explain.title', { name: nameOf(link) })}
      description={t('links.explain.text')}
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <VisitorFields link={link} visitor={visitor} onChange={setVisitor} error={ask.error} />
        <FormError message={formError(ask.error, i18n, FIELDS)} />
        <Button type="submit" variant="primary" loading={ask.isPending} className="self-start">
          {t('links.explain.ask')}
        </Button>
      </form>
      <div aria-live="polite">
        {ask.data === undefined ? null : <Outcome link={link} explanation={ask.data} />}
      </div>
    </Dialog>
  )
}
