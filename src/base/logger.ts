import { redacted } from './redact.ts'

/** How much is logged. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
/** `json` for machines, `text` for people. */
export type LogFormat = 'json' | 'text'

/** Structured logs. Never pass secrets, full addresses or query strings. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Where lines go: a stream, or a test's list. */
export interface LogDestination {
  write(line: string): unknown
}

/** How {@link createLogger} logs. */
export interface LoggerOptions {
  level: LogLevel
  format: LogFormat
  /** Text only. */
  colors?: boolean
  /** Default: stderr, so that stdout stays the command's answer. */
  destination?: LogDestination
}

const STDERR = 2

/** Logs nothing: for tests, and for commands that have nothing to say. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}

/**
 * Logs by pino, which is only loaded here. Lines are written at once: what was logged before a
 * crash is there. An `err` field is an Error, written with its stack. What looks like a secret is
 * struck out, as a second fence: callers don't pass any.
 */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  if (options.level === 'silent') return silentLogger
  const { pino } = await import('pino')
  const logger = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    options.format === 'text' ? await textStream(options) : await jsonStream(options),
  )
  const log = (level: Exclude<LogLevel, 'silent'>) => (fields: object, message: string) => {
    if (logger.isLevelEnabled(level)) logger[level](redacted(fields), message)
  }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

async function jsonStream({ destination }: LoggerOptions): Promise<LogDestination> {
  if (destination !== undefined) return destination
  const { pino } = await import('pino')
  return unbreakable(pino.destination({ dest: STDERR, sync: true }))
}

async function textStream({ destination, colors }: LoggerOptions): Promise<LogDestination> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({
    colorize: colors === true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageKey: 'message',
    singleLine: true,
  })
  const { pino } = await import('pino')
  const out = destination ?? unbreakable(pino.destination({ dest: STDERR, sync: true }))
  return { write: (line) => out.write(prettify(line) ?? line) }
}

/** Nobody may read stderr any more, or the disk behind it is full: no reason to stop serving. */
function unbreakable<T extends { on(event: 'error', listener: () => void): unknown }>(
  stream: T,
): T {
  stream.on('error', () => {})
  return stream
}
