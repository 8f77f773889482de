import { api, ok, type Schemas } from '../../../api/client.ts'

export type Explanation = Schemas['Explanation']
export type Step = Schemas['ExplainStep']

/** Common visitors; the names are those of products. */
export const AGENTS = {
  windows: [
    'Windows, Chrome',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ],
  mac: [
    'macOS, Safari',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  ],
  linux: [
    'Linux, Firefox',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ],
  iphone: [
    'iPhone, Safari',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ipad: [
    'iPad, Safari',
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  android: [
    'Android, Chrome',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  ],
  slack: ['Slackbot', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  google: ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
} as const

export type Agent = keyof typeof AGENTS

/** The form's values; empty: unknown. */
export interface VisitorDraft {
  agent: Agent
  country: string
  language: string
  referrer: string
  query: string
  path: string
  ip: string
  password: string
  /** In the format of `<input type="datetime-local">`, in the person's time zone. */
  at: string
}

export const NOBODY: VisitorDraft = {
  agent: 'windows',
  country: '',
  language: '',
  referrer: '',
  query: '',
  path: '',
  ip: '',
  password: '',
  at: '',
}

/** Requests where a described visitor of a link would be redirected. */
export function explainLink(id: string, { agent, at, ...rest }: VisitorDraft) {
  const given = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  )
  const visitor: Schemas['DescribedVisitor'] = {
    ...given,
    user_agent: AGENTS[agent][1],
    ...(at === '' ? {} : { at: new Date(at).toISOString() }),
  }
  return ok(api.POST('/api/v1/links/{id}/explain', { params: { path: { id } }, body: { visitor } }))
}

/** Groups the steps by rule; `rule` null: not of a rule. */
export function grouped(steps: readonly Step[]): { rule: number | null; steps: Step[] }[] {
  const groups: { rule: number | null; steps: Step[] }[] = []
  for (const step of steps) {
    const at = /^rules\[(\d+)\]/.exec(step.check)?.[1]
    const rule = at === undefined ? null : Number(at)
    const last = groups.at(-1)
    if (last?.rule === rule) last.steps.push(step)
    else groups.push({ rule, steps: [step] })
  }
  return groups
}
