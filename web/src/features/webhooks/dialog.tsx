import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { fieldError, fieldsWithin } from '../../ui/errors.ts'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { typeLabel } from '../audit/words.ts'
import { DomainsPicker, FoldersPicker, TagsPicker } from '../keys/pickers.tsx'
import {
  type CreatedWebhook,
  createWebhook,
  typesQuery,
  updateWebhook,
  type Webhook,
  type WebhookType,
  webhooksKey,
} from './queries.ts'
import { groupsOf } from './words.ts'

type List = readonly string[] | null

/** Creates or changes a webhook. */
export function WebhookDialog({
  webhook,
  onClose,
  onMade,
}: {
  /** Absent: a new one. */
  webhook?: Webhook
  onClose: () => void
  onMade?: (made: CreatedWebhook) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [types, setTypes] = useState<readonly string[]>(webhook?.types ?? [])
  const [tags, setTags] = useState<List>(webhook?.filter?.tags ?? null)
  const [folders, setFolders] = useState<List>(webhook?.filter?.folders ?? null)
  const [domains, setDomains] = useState<List>(webhook?.filter?.domains ?? null)
  const [tried, setTried] = useState(false)
  const lists = { tags, folders, domains }
  const isFiltered = Object.values(lists).some((list) => list !== null)
  const save = useMutation({
    mutationFn: async () => {
      const filter = Object.fromEntries(
        Object.entries(lists).flatMap(([name, list]) => (list === null ? [] : [[name, [...list]]])),
      )
      const before = webhook?.filter ?? {}
      const body = {
        url: url.trim(),
        types: types as WebhookType[],
        // A list can lack what was deleted: unchanged, it isn't sent.
        ...(JSON.stringify(filter) === JSON.stringify(pick(before))
          ? {}
          : { filter: patched(lists) }),
      }
      if (webhook === undefined) return onMade?.(await createWebhook(body))
      await updateWebhook(webhook.id, body)
      showToast({ title: t('common.saved') })
      onClose()
    },
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey(workspace.id) }),
  })
  const submit = () => {
    setTried(true)
    if (types.length > 0) save.mutate()
  }
  const { error } = save
  const typesError =
    tried && types.length === 0 ? t('webhooks.types.needed') : fieldError(error, 'types')
  const inFilter = fieldsWithin(error, 'filter')
  return (
    <FormDialog
      title={t(webhook === undefined ? 'webhooks.create' : 'links.edit')}
      action={t(webhook === undefined ? 'webhooks.create' : 'common.save')}
      task={save}
      fields={['url', 'types', ...inFilter]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.url')}
        error={fieldError(error, 'url')}
        required
        dir="ltr"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/webhooks"
        value={url}
        onChange={setUrl}
      />
      <Types value={types} onChange={setTypes} error={typesError} />
      <Disclosure
        title={t('webhooks.filter')}
        initiallyOpen={isFiltered}
        forced={inFilter.length > 0}
        mark={isFiltered ? t('links.section.set') : undefined}
        className="border-line border-t"
      >
        <p className="text-muted text-sm">{t('webhooks.filter.text')}</p>
        <DomainsPicker within="filter" value={domains} onChange={setDomains} error={error} />
        <FoldersPicker within="filter" value={folders} onChange={setFolders} error={error} />
        <TagsPicker within="filter" value={tags} onChange={setTags} error={error} />
      </Disclosure>
    </FormDialog>
  )
}

const pick = ({ tags, folders, domains }: Record<string, readonly string[] | undefined>) =>
  JSON.parse(JSON.stringify({ tags, folders, domains })) as object

/** A merge patch: a list that is null ends. */
function patched({ tags, folders, domains }: Record<'tags' | 'folders' | 'domains', List>) {
  const copy = (list: List) => (list === null ? null : [...list])
  const all = { tags: copy(tags), folders: copy(folders), domains: copy(domains) }
  return Object.values(all).every((list) => list === null) ? null : all
}

/** The types, in words, by what they are about. */
function Types({
  value,
  onChange,
  error,
}: {
  value: readonly string[]
  onChange: (types: string[]) => void
  error: string | undefined
}) {
  const i18n = useI18n()
  const { workspace } = usePlace()
  const id = useId()
  const known = useQuery(typesQuery(workspace.id)).data ?? value
  const toggled = (of: readonly string[], isOn: boolean) =>
    onChange(known.filter((type) => (of.includes(type) ? isOn : value.includes(type))))
  return (
    <fieldset className="flex flex-col gap-3" aria-describedby={id}>
      <legend className="mb-2 font-medium text-sm">{i18n.t('webhooks.types')}</legend>
      {groupsOf(known, i18n).map(({ kind, label, members }) => (
        <div key={kind} className="flex flex-col gap-2">
          <Checkbox
            label={<span className="font-medium">{label}</span>}
            checked={members.every((type) => value.includes(type))}
            onChange={(isOn) => toggled(members, isOn)}
          />
          <div className="grid gap-x-4 gap-y-2 ps-6 sm:grid-cols-2">
            {members.map((type) => (
              <Checkbox
                key={type}
                label={typeLabel(type, i18n)}
                checked={value.includes(type)}
                onChange={(isOn) => toggled([type], isOn)}
              />
            ))}
          </div>
        </div>
      ))}
      <FieldError id={id} message={error} />
    </fieldset>
  )
}
