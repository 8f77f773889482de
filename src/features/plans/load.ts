import { readFileSync } from 'node:fs'
import type { Plan } from '../../model/plans/types.ts'
import { ConfigError } from '../../platform/config/fault.ts'
import { DEFAULT_PLANS } from './defaults.ts'

const EXAMPLE =
  '{"plans":[{"id":"free","default":true,"price":{"amount":0,"currency":"EUR","interval":"month"},' +
  '"limits":{"requests_per_minute":60,"burst":60,"links":1000},"features":[]}]}'

/**
 * The plans of an operator's file, or the built-in ones.
 * @throws ConfigError with every fault and its position in the file.
 */
export async function loadPlans(file: string | null): Promise<readonly Plan[]> {
  if (file === null) return DEFAULT_PLANS
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = `names ${file}, which can't be read (${code})`
    const example = '/etc/slugline/plans.json'
    throw new ConfigError([{ variable: 'SLUGLINE_PLANS', problem, example }])
  }
  // The schema is loaded only here: most instances don't need it.
  const { parsePlans } = await import('./file.ts')
  const result = parsePlans(text)
  if (!('faults' in result)) return result.plans
  throw new ConfigError(
    result.faults.map(({ path, problem }) => ({
      variable: 'SLUGLINE_PLANS',
      problem: `names ${file}, where ${path === '' ? 'the file' : path} ${problem}`,
      example: EXAMPLE,
    })),
  )
}
