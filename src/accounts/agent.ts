import bowser from 'bowser'

/** Longer agents are cut off before anybody looks at them. */
const AGENT_MAX = 500

/**
 * What a person recognises a session by, `Firefox, Windows`: no version, no model, nothing that
 * would tell one machine from another. Null: nothing to be told. What was described already stays.
 */
export function describeAgent(agent: string | null | undefined): string | null {
  if (!agent) return null
  if (!agent.includes('/')) return agent.slice(0, 60)
  const { browser, os } = bowser.parse(agent.slice(0, AGENT_MAX))
  return [browser.name, os.name].filter(Boolean).join(', ') || null
}
