import type { SupportedLocale } from './locales.ts'
import ar from './messages/ar.json' with { type: 'json' }
import de from './messages/de.json' with { type: 'json' }
import en from './messages/en.json' with { type: 'json' }
import es from './messages/es.json' with { type: 'json' }
import fr from './messages/fr.json' with { type: 'json' }
import hi from './messages/hi.json' with { type: 'json' }
import it from './messages/it.json' with { type: 'json' }
import ja from './messages/ja.json' with { type: 'json' }
import ko from './messages/ko.json' with { type: 'json' }
import nl from './messages/nl.json' with { type: 'json' }
import pl from './messages/pl.json' with { type: 'json' }
import ptBR from './messages/pt-BR.json' with { type: 'json' }
import tr from './messages/tr.json' with { type: 'json' }
import uk from './messages/uk.json' with { type: 'json' }
import zhHans from './messages/zh-Hans.json' with { type: 'json' }
import zhHant from './messages/zh-Hant.json' with { type: 'json' }

/** A key of the message files, such as `error.SLUG_TAKEN`. English is the reference. */
export type MessageKey = keyof typeof en

type Messages = Readonly<Record<MessageKey, string>>

/**
 * The message files: ICU MessageFormat sources by key. Apostrophes are typographic (’), because ICU
 * takes the straight one for a quoting character.
 */
export const MESSAGES: Readonly<Record<SupportedLocale, Messages>> = {
  en,
  de,
  fr,
  es,
  it,
  'pt-BR': ptBR,
  nl,
  pl,
  uk,
  tr,
  ar,
  hi,
  ja,
  ko,
  'zh-Hans': zhHans,
  'zh-Hant': zhHant,
}

/** All message keys. */
export const MESSAGE_KEYS = Object.keys(en) as readonly MessageKey[]

/** True if a key that was put together at runtime (`plan.${id}.name`) has a message. */
export function hasMessage(key: string): key is MessageKey {
  return Object.hasOwn(en, key)
}
