import { type AgentVerdict, classifyAgent } from '../../clicks/classify.ts'
import { type AgentDetails, describeAgent } from './device.ts'

/**
 * Who sends an agent, and what it says of itself. A program's own name is its browser; what it
 * pretends to run on says nothing.
 */
export function readAgent(userAgent: string): AgentDetails & { verdict: AgentVerdict } {
  const verdict = classifyAgent(userAgent)
  if (verdict.kind === 'human') return { verdict, ...describeAgent(userAgent) }
  return { verdict, browser: verdict.name, os: null, device: 'bot' }
}
