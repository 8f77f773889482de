import type { Logger } from '../../lib/base/logger.ts'

/** Part of every system that systemd runs. */
const LIBRARY = 'libsystemd.so.0'

const NO_SUPERVISOR = { ready() {}, stopping() {} }

/**
 * Tells systemd when the server is ready and when it stops, and that its event loop runs, for units with
 * `Type=notify`. Its library sends the messages, because Bun has no Unix datagram sockets.
 * @param expected null: systemd expects nothing. `watchdogMs`: without a message for that long it
 *   restarts the service; 0: never.
 */
export async function connectSystemd(
  expected: { watchdogMs: number } | null,
  logger: Pick<Logger, 'warn'>,
): Promise<typeof NO_SUPERVISOR> {
  if (expected === null) return NO_SUPERVISOR
  const { watchdogMs } = expected
  try {
    const { dlopen } = await import('bun:ffi')
    const { symbols } = dlopen(LIBRARY, { sd_notify: { args: ['i32', 'ptr'], returns: 'i32' } })
    const send = (state: string) => void symbols.sd_notify(0, Buffer.from(`${state}\0`))
    return {
      ready() {
        send('READY=1')
        if (watchdogMs > 0) setInterval(() => send('WATCHDOG=1'), watchdogMs / 2).unref()
      },
      stopping: () => send('STOPPING=1'),
    }
  } catch (err) {
    logger.warn({ err }, 'systemd expects messages, which need libsystemd')
    return NO_SUPERVISOR
  }
}
