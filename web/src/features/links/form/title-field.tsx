import { useI18n } from '../../../i18n/index.tsx'
import { Field } from '../../../ui/field.tsx'
import { InputGroup } from '../../../ui/input.tsx'
import type { Draft } from './draft.ts'
import { FillIn } from './fill-in.tsx'

/** The link's name in the dashboard; can be that of the destination. */
export function TitleField({
  draft,
  set,
  error,
}: {
  draft: Draft
  set: (change: Partial<Draft>) => void
  error: string | undefined
}) {
  const { t } = useI18n()
  return (
    <Field label={t('links.field.title')} hint={t('links.hint.title')} error={error}>
      {(control) => (
        <InputGroup
          {...control}
          dir="auto"
          value={draft.title}
          onChange={({ target }) => set({ title: target.value })}
          after={
            <FillIn
              small
              destination={draft.destination_url}
              parts={['title']}
              onFound={({ title }) => set({ title: draft.title || (title ?? '') })}
            />
          }
        />
      )}
    </Field>
  )
}
