import { createContext } from './context.ts'
import { toStderr } from './output.ts'
import { isHelper, runHelper } from './server/helpers.ts'

// Files of this process are private, whatever the directory permits.
process.umask(0o077)

const args = process.argv.slice(2)

const SERVE_OPTIONS = ['--json', '--take-over']

/** `serve` and its helpers start without the argument parser, for speed. */
async function run(): Promise<number> {
  const [command, ...rest] = args
  if (isHelper(command)) {
    await runHelper(command, rest)
    return 0
  }
  if (command === 'serve' && rest.every((option) => SERVE_OPTIONS.includes(option))) {
    const context = createContext()
    context.json = rest.includes('--json')
    const takeOver = rest.includes('--take-over')
    await (await import('./server/serve.ts')).serve(context, { takeOver })
    return 0
  }
  return await (await import('./program.ts')).runProgram(args)
}

try {
  process.exitCode = await run()
} catch (error) {
  const { failureOf, renderFailure, renderLogged } = await import('./report-error.ts')
  const { logsJson } = await import('../platform/config/index.ts')
  const failure = await failureOf(error)
  const isJson = args.includes('--json')
  const isLogged = !isJson && (args[0] === 'serve' || isHelper(args[0])) && logsJson()
  toStderr(isLogged ? renderLogged(failure) : renderFailure(failure, isJson))
  // A server that failed half-way may have left timers and sockets open.
  process.exit(failure.status)
}
