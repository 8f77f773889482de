/** How much is logged. */
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
/** `json` for machines, `text` for people. */
type LogFormat = 'json' | 'text'

/** Structured logs. Never pass secrets, full addresses or query strings. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Where lines go: a stream, or a test's list. */
interface LogDestination {
  write(line: string): unknown
}

/** How {@link createLogger} logs. */
export interface LoggerOptions {
  level: LogLevel
  format: LogFormat
  /** Text only. */
  colors?: boolean
  /** Default: stderr, so that stdout holds only the command's output. */
  destination?: LogDestination
}

const STDERR = 2

/** Logs nothing: for tests and for quiet commands. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Logs with pino, which is imported only here. Lines are written synchronously, so that those
 * before a crash are kept. An `err` field is an Error, written with its stack. What looks like a
 * secret is redacted as a second safeguard: callers must not pass any.
 */
export async function createLogger({
  level,
  format,
  colors = false,
  destination,
}: LoggerOptions): Promise<Logger> {
  if (level === 'silent') return silentLogger
  const { pino } = await import('pino')
  const stderr = () => {
    const stream = pino.destination({ dest: STDERR, sync: true })
    // A closed stderr, or a full disk behind it, must not stop the server.
    return stream.on('error', () => {})
  }
  const out: LogDestination = destination ?? stderr()
  const logger: Logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redacted },
    },
    format === 'text' ? await asText(out, colors) : out,
  )
  return logger
}

async function asText(out: LogDestination, colorize: boolean): Promise<LogDestination> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    messageKey: 'message',
    singleLine: true,
  })
  return { write: (line) => out.write(prettify(line) ?? line) }
}

const SECRET_NAME =
  /^(authorization|proxy[-_]authorization|cookie|set[-_]cookie|password|passwd|secret|api[-_]?key|key|token)$/i
const API_KEY = /\b([a-z]+_[0-9A-Za-z]{8})_[0-9A-Za-z]{32}\b/g
const REDACTED = '[redacted]'
const MAX_DEPTH = 5

/** A copy of `fields` with secrets redacted: values by their name, API keys anywhere in a text. */
function redacted(fields: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? REDACTED : redactValue(value, depth),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    return value.length > 41 ? value.replace(API_KEY, `$1_${REDACTED}`) : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[deep]'
  // What was parsed may be an address with a token in it.
  if (value instanceof TypeError && 'input' in value) {
    Object.assign(value, { input: REDACTED, ...('base' in value && { base: REDACTED }) })
  }
  if (value instanceof Headers) return redacted(Object.fromEntries(value), depth + 1)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1))
  // Errors, dates and other class instances have serializers of their own.
  return Object.getPrototypeOf(value) === Object.prototype ? redacted(value, depth + 1) : value
}
