import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSetLanguage } from '../../../app/language.tsx'
import { rememberLanguage, setTheme, type Theme, useTheme } from '../../../app/preferences.ts'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { isLocale, LANGUAGE_OPTIONS } from '../../../i18n/locales.ts'
import { fieldError } from '../../../ui/errors.ts'
import { Field } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { Input } from '../../../ui/input.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { changeAccount } from '../queries.ts'

const BROWSER = 'browser'
const THEMES = ['system', 'light', 'dark'] as const satisfies readonly Theme[]

/** Name, language, and light or dark. */
export function ProfileSection() {
  const { t } = useI18n()
  const { user } = usePlace()
  const sessionChanged = useSessionChanged()
  const enterLanguage = useSetLanguage()
  const [name, setName] = useState(user.name ?? '')
  const [language, setLanguage] = useState(user.language ?? BROWSER)
  // The person's menu changes it too.
  const [seen, setSeen] = useState(user.language)
  if (user.language !== seen) {
    setSeen(user.language)
    setLanguage(user.language ?? BROWSER)
  }
  const theme = useTheme()
  const save = useMutation({
    mutationFn: () => changeAccount({ name, language: isLocale(language) ? language : null }),
    async onSuccess() {
      await sessionChanged()
      if (isLocale(language)) await enterLanguage(language)
      else rememberLanguage(null)
      showToast({ title: t('common.saved') })
    },
  })
  const { error } = save
  return (
    <CardSection title={t('settings.account.profile')}>
      <Form task={save} fields={['name', 'language']} className="flex max-w-md flex-col gap-5">
        <TextField
          label={t('settings.account.name')}
          error={fieldError(error, 'name')}
          autoComplete="name"
          required
          value={name}
          onChange={setName}
        />
        <Field label={t('settings.account.email')}>
          {(control) => <Input {...control} type="email" readOnly value={user.email} />}
        </Field>
        <SelectField
          label={t('settings.account.language')}
          error={fieldError(error, 'language')}
          value={language}
          onChange={setLanguage}
          options={[
            { value: BROWSER, label: t('settings.account.language.browser') },
            ...LANGUAGE_OPTIONS,
          ]}
        />
        <Submit of={save} className="self-start">
          {t('common.save')}
        </Submit>
      </Form>
      <div className="mt-3 flex flex-col items-start gap-2">
        <h3 className="font-medium text-sm">{t('settings.account.theme')}</h3>
        <Segmented
          label={t('settings.account.theme')}
          value={theme}
          onChange={setTheme}
          options={THEMES.map((value) => ({ value, label: t(`settings.theme.${value}`) }))}
        />
      </div>
    </CardSection>
  )
}
