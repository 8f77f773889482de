import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCALES, type SupportedLocale } from './locales.ts'

const WEB = join(import.meta.dir, '../../../web/src/i18n/messages')

/**
 * Words that no message of a language uses: alternatives to the term chosen for a concept
 * (workspace, slug, destination, admin, operator, sign in …), and the other form of address (formal
 * or informal). `*` matches any ending.
 */
const RIVALS: Record<SupportedLocale, string> = {
  en: 'colour*, whoever, short address*, switch on, switch off, switching',
  de: 'du, dein*, dich, dir, Workspace*, Ersatzziel*, Ausweichadresse, Abfrage*, eingeschaltet, einschalten, ausgeschaltet, abschalten, abgeschaltet, Eigentümer',
  fr: 'tu, ton, tes, clé d’API, clés d’API, opérateur*, forfait, robot, workspace, codes de récupération, QR code*, l’adresse de repli',
  es: 'usted, su cuenta, su contraseña, workspace, administrador*, revise, elija, indique, suba, logo, transmit*, destino alternativo',
  it: 'workspace, spazio di lavoro, amministrator*, email, indichi, unisca, destinazione alternativa, redirect',
  'pt-BR':
    'workspace, administrador*, escopo, o URL, este URL, solicitação, tu, teu, destino alternativo',
  nl: 'workspace, werkruimten, u, uw, inloggen, uitloggen, uitgelogd, log, aanzetten, uitzetten, uitgezet, kort adres, terugvaladres',
  pl: 'przestrze* robocz*, krótki adres, założyć, załóż, cel linku, cel jest',
  uk: 'тариф*, ціль, екземпляр*, запасн*, перенаправл*, адрес* пошти, адрес* електронної пошти, коротк* адрес*, slug',
  tr: 'örneğin sahibi, bağlantını, senin, ana makine*, slug’ına, rastgele slug, kısa adres*, dahil*, mesaj*',
  ar: 'المثيل, معلمات, ومديروها, الروابط القصيرة, الرابط القصير, المعرّف المختصر, العنوان المختصر, الوجهة البديلة, وجهة بديلة, من يشغّل*, الأذونات, هوك',
  hi: 'slug, वर्कस्पेस, कार्यस्थान, मालिक, व्यवस्थापक, अवरुद्ध, फ़ॉलबैक, पूर्वावलोकन, पुनर्प्राप्ति, पृष्ठ, आईडी, एक्सपोर्ट, इंपोर्ट, पथ',
  ja: '*サインイン*, *サインアウト*, *リンク先*, *代替 URL*, *パラメータ, *ブラウザ, *所有者*, *運用者*, *この Slugline*, *スコープ*, *短縮 URL*, *既に*, *端末*',
  ko: '멤버*, 작업 공간*, 짧은 링크*, 짧은 도메인*, 단축 URL*, 대상 주소*, 대체 주소*, 이 Slugline*, *할까요',
  'zh-Hans': '*账户*, *短名*, *短链名*, *短码*, *电子邮件地址*, *此 Slugline*, *目标网址*',
  'zh-Hant':
    '*帳戶*, *短名*, *短碼*, *短連結*, *短網址名稱*, *此 Slugline*, *目標位址*, *目標網址*, *備用位址*, *轉址*, *紀錄*',
}

const CHINESE_OR_JAPANESE = /[,;?!](?= |$)|[一-龠ぁ-んァ-ヶ] (?=[一-龠ぁ-んァ-ヶ])|: /
/** Punctuation and spaces that a language writes differently. */
const MARKS: Partial<Record<SupportedLocale, RegExp>> = {
  de: /["“]\p{L}|\d %/u,
  fr: /[ \p{L}\d][:;?!»](?= |$)|« /u,
  es: /(?:^|[.!] )[^¿«]*\?/,
  it: /[“”]/,
  nl: /[“”]/,
  // A percent sign after Arabic letters and a number moves to its other side without a mark.
  ar: /[?,;](?= |$)|\d%/,
  ko: /[“”]/,
  ja: CHINESE_OR_JAPANESE,
  'zh-Hans': CHINESE_OR_JAPANESE,
  'zh-Hant': CHINESE_OR_JAPANESE,
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
const filesOf = (locale: SupportedLocale) =>
  [join(import.meta.dir, 'messages', `${locale}.json`)].concat(
    readdirSync(join(WEB, locale)).map((name) => join(WEB, locale, name)),
  )

test.each([...LOCALES])(
  '%s has one term per concept, one form of address, its own punctuation',
  (locale) => {
    const words = RIVALS[locale].split(', ').map((word) => word.replaceAll('*', '[\\p{L}\\p{M}]*'))
    const rival = new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.join('|')})(?![\\p{L}\\p{M}])`, 'iu')
    const wrong = filesOf(locale).flatMap((file) =>
      Object.entries(read(file)).filter(([, text]) => {
        // Without the names and cases of arguments, and without code.
        const said = text.replace(/\{\w+(?:, \w+,?)?|<code>.*?<\/code>/g, '{')
        return rival.test(said) || MARKS[locale]?.test(said)
      }),
    )
    expect(wrong).toEqual([])
  },
)
