import { usePlace } from '../../../../app/workspace.tsx'
import { useI18n } from '../../../../i18n/index.tsx'
import { Switch } from '../../../../ui/switch.tsx'
import { withScheme } from '../input-values.ts'
import { locationExample } from './path-example.ts'
import type { SectionProps } from './section.tsx'

/** Whether the link matches paths below its slug, with an example. */
export function Paths({ draft, set }: Pick<SectionProps, 'draft' | 'set'>) {
  const { t, rich } = useI18n()
  const { instance } = usePlace()
  const isPrefix = draft.match === 'prefix'
  const host =
    draft.domain === instance.default_domain ? new URL(instance.base_url).host : draft.domain
  const slug = draft.slug.trim() || '•••••••'
  const destination = withScheme(draft.destination_url.trim()) || 'https://example.com/'
  const address = (text: string) => (
    <bdi dir="ltr" className="font-medium text-muted [overflow-wrap:anywhere]">
      {text}
    </bdi>
  )
  const example = {
    short: address(`${host}/${slug}/a/b`),
    destination: address(locationExample(destination, draft.forward_path, slug)),
  }
  return (
    <>
      <Switch
        checked={isPrefix}
        onChange={(checked) => set({ match: checked ? 'prefix' : 'exact' })}
        label={t('links.field.match')}
        hint={t('links.hint.match')}
      />
      {isPrefix ? (
        <>
          <Switch
            checked={draft.forward_path}
            onChange={(forward_path) => set({ forward_path })}
            label={t('links.field.forwardPath')}
            hint={rich('links.hint.forwardPath', {
              placeholder: <code dir="ltr">{'{path}'}</code>,
            })}
          />
          <p className="rounded-sm bg-sunken p-2 text-xs">{rich('links.pathExample', example)}</p>
        </>
      ) : null}
    </>
  )
}
