import { RulesEditor } from '../rules/rules-editor.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** Rules: other destinations for some visitors. */
export const RULES: FormSection = {
  title: 'links.field.rules',
  fields: ['rules'],
  Fields,
}

function Fields({ draft, set, problems, warnings }: SectionProps) {
  return (
    <RulesEditor
      rules={draft.rules}
      onChange={(rules) => set({ rules })}
      problems={problems}
      warnings={warnings}
    />
  )
}
