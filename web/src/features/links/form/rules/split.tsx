import { RULE_BOUNDS } from '@src/redirect/rules/types.ts'
import { Plus, Trash2 } from 'lucide-react'
import { useI18n } from '../../../../i18n/index.tsx'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { FieldError } from '../../../../ui/field.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { sharesOf } from '../../rules/text.ts'
import { newVariant, type VariantDraft } from './draft.ts'
import type { Marks } from './marks.ts'
import { messagesWithin } from './marks.ts'
import { WarningNote } from './warning-note.tsx'

/** A split needs at least two. */
const FEWEST = 2

/** The destinations of a split, with their shares. */
export function SplitEditor({
  variants,
  onChange,
  path,
  problems,
  warnings,
}: {
  variants: readonly VariantDraft[]
  onChange: (variants: VariantDraft[]) => void
  /** The path of messages about the list. */
  path: string
  problems: Marks
  warnings: Marks
}) {
  const { t, format } = useI18n()
  const shares = sharesOf(variants.map(({ weight }) => Math.max(0, Number(weight)) || 0))
  const change = (key: string, fields: Partial<VariantDraft>) =>
    onChange(variants.map((one) => (one.key === key ? { ...one, ...fields } : one)))
  const spread = () => {
    const weight = String(Math.max(1, Math.round(100 / variants.length)))
    onChange(variants.map((one) => ({ ...one, weight })))
  }
  const isWrong = messagesWithin(problems, path).length > 0
  const deeper = Object.keys(problems).some((place) => place.startsWith(`${path}[`))
  return (
    <div className="flex flex-col gap-3">
      <p className="text-faint text-xs">{t('rules.split.hint')}</p>
      <ol className="flex flex-col gap-3">
        {variants.map((variant, i) => (
          <li key={variant.key} className="rounded-md border border-line p-3">
            <Variant
              variant={variant}
              title={variant.name || t('rules.variant.untitled', { number: i + 1 })}
              share={format.percent(shares[i] ?? 0)}
              onChange={(fields) => change(variant.key, fields)}
              onRemove={
                variants.length > FEWEST
                  ? () => onChange(variants.filter(({ key }) => key !== variant.key))
                  : undefined
              }
              path={`${path}[${variant.key}]`}
              problems={problems}
              warnings={warnings}
            />
          </li>
        ))}
      </ol>
      <FieldError
        id={`${path}-error`}
        message={isWrong && !deeper ? messagesWithin(problems, path)[0] : undefined}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Plus />}
          disabled={variants.length >= RULE_BOUNDS.variants}
          onClick={() => onChange([...variants, newVariant()])}
        >
          {t('rules.variant.add')}
        </Button>
        <Button size="sm" variant="ghost" onClick={spread}>
          {t('rules.split.even')}
        </Button>
      </div>
    </div>
  )
}

function Variant({
  variant,
  title,
  share,
  onChange,
  onRemove,
  path,
  problems,
  warnings,
}: {
  variant: VariantDraft
  title: string
  share: string
  onChange: (fields: Partial<VariantDraft>) => void
  onRemove: (() => void) | undefined
  path: string
  problems: Marks
  warnings: Marks
}) {
  const { t } = useI18n()
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">{title}</legend>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          className="flex-[1_1_8rem]"
          label={t('rules.name')}
          error={problems[`${path}.name`]}
          value={variant.name}
          placeholder={title}
          onChange={(name) => onChange({ name })}
        />
        <TextField
          className="w-28"
          label={
            <>
              {t('rules.variant.weight')}
              <output className="font-normal text-faint text-xs tabular-nums">{share}</output>
            </>
          }
          error={problems[`${path}.weight`]}
          inputMode="numeric"
          value={variant.weight}
          onChange={(weight) => onChange({ weight })}
        />
        <IconButton
          label={t('rules.remove', { name: title })}
          icon={<Trash2 />}
          disabled={onRemove === undefined}
          onClick={onRemove}
        />
      </div>
      <TextField
        label={t('links.field.destination')}
        error={problems[`${path}.destination_url`]}
        type="url"
        dir="ltr"
        placeholder="https://"
        value={variant.destination_url}
        onChange={(destination_url) => onChange({ destination_url })}
      />
      <WarningNote messages={messagesWithin(warnings, path)} />
    </fieldset>
  )
}
