import bowser from 'bowser'

/** Longer user agents are cut before they are parsed. */
const AGENT_MAX = 500

/**
 * The label of a session, `Firefox, Windows`: no version, no model, nothing that identifies a
 * machine. Null: unknown. A text that is a label already stays.
 */
export function describeAgent(agent: string | null | undefined): string | null {
  if (!agent) return null
  if (!agent.includes('/')) return agent.slice(0, 60)
  const { browser, os } = bowser.parse(agent.slice(0, AGENT_MAX))
  return [browser.name, os.name].filter(Boolean).join(', ') || null
}
