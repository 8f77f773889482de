import { createContext } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { readEnvironment } from '../../src/platform/config/index.ts'

/**
 * Runs a command in this process: for what a test only prepares, at a quarter of the cost of a
 * process. What tests check of commands runs in a process of its own.
 */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>>) {
  let stdout = ''
  let stderr = ''
  const out = (text: string) => {
    stdout += text
  }
  const err = (text: string) => {
    stderr += text
  }
  const context = createContext(() => readEnvironment(env, false), out)
  const status = await runProgram(args, { out, err }, context)
  return { status, stdout, stderr }
}
