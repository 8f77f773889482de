import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { classify, classifyAgent, fetchedAhead, isPerson } from './classify.ts'
import { CLICK_FLAGS } from './record.ts'
import { BROWSER_AGENTS, PROGRAM_AGENTS } from './testing/agents.ts'

const BROWSER = BROWSER_AGENTS[0]?.agent as string

describe('agents', () => {
  test('there are enough samples', () => {
    expect(PROGRAM_AGENTS.length).toBeGreaterThanOrEqual(60)
    expect(BROWSER_AGENTS.length).toBeGreaterThanOrEqual(150)
    const all = [...PROGRAM_AGENTS, ...BROWSER_AGENTS].map(({ agent }) => agent)
    expect(new Set(all).size).toBe(all.length)
  })

  test.each(PROGRAM_AGENTS)('$says: $agent', ({ agent, says: [kind, reason] }) => {
    const { name, ...verdict } = classifyAgent(agent)
    expect(verdict).toEqual({ kind, reason } as never)
    expect(isPerson(0, agent)).toBe(false)
    if (name !== null) expect(agent).toContain(name)
  })

  test.each(BROWSER_AGENTS)('a person: $agent', ({ agent }) => {
    expect(classifyAgent(agent)).toEqual({ kind: 'human', reason: null, name: null })
    expect(isPerson(0, agent)).toBe(true)
  })

  test.each(['', ' '])('an empty agent (%j) is not a browser', (agent) => {
    expect(classify(0, agent)).toMatchObject({ kind: 'bot', reason: 'empty_agent' })
  })

  test.each([
    ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'Slackbot-LinkExpanding'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
    ['Mozilla/5.0 (compatible; SomeNewBot/0.1; +https://example.com/bot)', 'SomeNewBot'],
    ['curl/8.5.0', 'curl'],
    ['WhatsApp/2.23.20.0 A', 'WhatsApp'],
    ['http.rb/5.1.0 (Mastodon/4.0.2; +https://fosstodon.org/) Bot', 'Mastodon'],
  ])('%s is called %s', (agent, name) => {
    expect(classifyAgent(agent).name).toBe(name)
  })
})

describe('prefetching', () => {
  test.each([
    ['sec-purpose', 'prefetch', 'prefetch'],
    ['sec-purpose', 'prefetch;anonymous-client-ip', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender', 'prerender'],
    ['purpose', 'prefetch', 'prefetch'],
    ['purpose', 'preview', 'preview'],
    ['x-purpose', 'preview', 'preview'],
    ['x-moz', 'prefetch', 'prefetch'],
  ])('%s: %s is a preview', (name, value, reason) => {
    const how = fetchedAhead(new Headers({ [name]: value }))
    expect(classify(how, BROWSER)).toEqual({ kind: 'preview', reason } as never)
    expect(isPerson(how, BROWSER)).toBe(false)
  })

  test.each([{}, { 'sec-purpose': '' }, { purpose: 'reading' }])('%j is a visit', (headers) => {
    expect(fetchedAhead(new Headers(headers as Record<string, string>))).toBe(0)
  })

  test('a program stays a program', () => {
    expect(classify(CLICK_FLAGS.ahead, 'Twitterbot/1.0').reason).toBe('unfurler')
    expect(classify(CLICK_FLAGS.ahead, 'curl/8.5.0').kind).toBe('bot')
  })
})

test('the counters, the redirect and the statistics never disagree', () => {
  const known = fc.constantFrom(...BROWSER_AGENTS, ...PROGRAM_AGENTS).map(({ agent }) => agent)
  const agents = fc.oneof(known, fc.string({ unit: 'binary' }), fc.string())
  fc.assert(
    fc.property(fc.nat(31), agents, (how, agent) => {
      const { kind, reason } = classify(how, agent)
      expect(kind === 'human').toBe(isPerson(how, agent))
      expect(reason === null).toBe(kind === 'human')
    }),
  )
})
