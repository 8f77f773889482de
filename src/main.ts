import { createContext } from './commands/create-context.ts'
import { toStderr } from './commands/output.ts'
import { failureOf, renderFailure } from './commands/report-error.ts'

// What we write belongs to our user alone, whatever the directory allows.
process.umask(0o077)

const args = process.argv.slice(2)

/** `serve` and its children start at once; only other command lines need the parser. */
async function run(): Promise<number> {
  const [command, ...rest] = args
  if (command === 'serve' && rest.every((option) => option === '--json')) {
    const context = createContext()
    context.json = rest.length > 0
    await (await import('./commands/serve.ts')).serve(context)
    return 0
  }
  if (command === 'click-worker') {
    await (await import('./commands/click-worker.ts')).runClickWorkerCommand(rest)
    return 0
  }
  if (command === 'statistics') {
    await (await import('./commands/statistics.ts')).runStatisticsCommand(rest)
    return 0
  }
  return await (await import('./commands/program.ts')).runProgram(args)
}

try {
  process.exitCode = await run()
} catch (error) {
  const failure = await failureOf(error)
  toStderr(renderFailure(failure, args.includes('--json')))
  // A server that failed half-way may have left timers and sockets behind.
  process.exit(failure.status)
}
