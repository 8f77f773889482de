import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import type { Link } from '../queries.ts'
import { nameOf } from '../text.ts'
import { FIELDS, VisitorFields } from './fields.tsx'
import { Outcome } from './outcome.tsx'
import { explainLink, NOBODY } from './visitor.ts'

/** Shows where a described visitor of a link would be redirected, and why. */
export function ExplainDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useI18n()
  const [visitor, setVisitor] = useState(NOBODY)
  const ask = useMutation({
    mutationFn: () => explainLink(link.id, visitor),
  })
  return (
    <Dialog
      shape="wide"
      onClose={onClose}
      title={t('links.explain.title', { name: nameOf(link) })}
      description={t('links.explain.text')}
    >
      <Form task={ask} fields={FIELDS}>
        <VisitorFields
          link={link}
          visitor={visitor}
          onChange={(next) => {
            setVisitor(next)
            // What is shown was the answer for another visitor.
            ask.reset()
          }}
          error={ask.error}
        />
        <Submit of={ask} className="self-start">
          {t('links.explain.ask')}
        </Submit>
      </Form>
      <div aria-live="polite">
        {ask.data === undefined ? null : <Outcome link={link} explanation={ask.data} />}
      </div>
    </Dialog>
  )
}
