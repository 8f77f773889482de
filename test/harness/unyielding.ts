/**
 * Commands before a program whose statistics process then never yields to others beyond its niceness
 * (src/statistics/process/priority.ts). Where a test waits for what otherwise nobody waits for, it would
 * wait until no other test wants the processors.
 */
export const UNYIELDING: readonly string[] =
  process.getuid?.() === 0 && Bun.which('setpriv') !== null
    ? ['setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice']
    : []
