import type { Utm } from '@src/features/links/utm.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useAction } from '../../../ui/toast.tsx'
import {
  createUtmTemplate,
  deleteUtmTemplate,
  type UtmTemplate,
  utmTemplatesQuery,
} from './utm-queries.ts'

const NONE = ''

/** UTM templates of the workspace: to apply and delete above the values, to save below them. */
export function UtmTemplates({
  utm,
  disabled,
  onPick,
  children,
}: {
  utm: Utm
  disabled: boolean
  onPick: (utm: Partial<Utm>) => void
  /** The fields of the values. */
  children: ReactNode
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const query = utmTemplatesQuery(workspace.id)
  const { data: templates = [] } = useQuery(query)
  const [picked, setPicked] = useState(NONE)
  const [name, setName] = useState('')
  const put = (now: UtmTemplate[]) => client.setQueryData(query.queryKey, now)
  const save = useAction(async () => {
    const made = await createUtmTemplate({ name: name.trim(), ...utm })
    put([...templates, made].sort((a, b) => a.name.localeCompare(b.name)))
    setPicked(made.id)
    setName('')
  })
  const remove = useAction(async (id: string) => {
    await deleteUtmTemplate(id)
    put(templates.filter((one) => one.id !== id))
    setPicked(NONE)
  })
  const isAny = Object.values(utm).some((value) => value !== null)
  return (
    <>
      {templates.length > 0 ? (
        <div className="flex items-end gap-2">
          <SelectField
            label={t('links.utm.template')}
            className="flex-1"
            disabled={disabled}
            value={picked}
            onChange={(id) => {
              setPicked(id)
              const template = templates.find((one) => one.id === id)
              if (template) onPick(setIn(template))
            }}
            options={[
              { value: NONE, label: t('links.utm.choose') },
              ...templates.map((one) => ({ value: one.id, label: one.name })),
            ]}
          />
          {picked === NONE ? null : (
            <Button
              aria-label={t('links.utm.delete')}
              icon={<Trash2 />}
              loading={remove.isPending}
              onClick={() => remove.mutate(picked)}
            />
          )}
        </div>
      ) : null}
      {children}
      {isAny ? (
        <div className="flex items-end gap-2">
          <TextField
            label={t('links.utm.name')}
            className="flex-1"
            value={name}
            maxLength={100}
            onChange={setName}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // Only the template is submitted, not the surrounding form.
              event.preventDefault()
              if (name.trim() !== '') save.mutate()
            }}
          />
          <Button
            disabled={name.trim() === ''}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('links.utm.save')}
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** The values of a template; others stay. */
function setIn({ source, medium, campaign, term, content }: UtmTemplate): Partial<Utm> {
  const all = Object.entries({ source, medium, campaign, term, content })
  return Object.fromEntries(all.filter(([, value]) => value !== null))
}
