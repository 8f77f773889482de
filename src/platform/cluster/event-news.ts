import type { EventSignal } from '../storage/index.ts'
import type { Bus } from './bus.ts'

/** Workspaces are gathered for so long, so that writers cause few messages. */
const GATHER_MS = 20
/** What a message is about, for nodes that also get messages about links. */
const EVENTS = 'events'

/**
 * Tells all nodes of workspaces with new events. Nodes of earlier versions ignore the messages.
 * Returns the function that announces one.
 */
export function shareEventNews(
  bus: Pick<Bus, 'listen' | 'publish'>,
  nodeId: string,
  signal: EventSignal,
): (workspaceNo: number) => void {
  const gathered = new Set<number>()

  bus.listen({
    received(message) {
      const [from, about, numbers] = JSON.parse(message) as [string, unknown, number[]]
      if (from !== nodeId && about === EVENTS) numbers.forEach(signal.emit)
    },
  })

  return (workspaceNo) => {
    signal.emit(workspaceNo)
    gathered.add(workspaceNo)
    if (gathered.size > 1) return
    setTimeout(() => {
      const numbers = [...gathered]
      gathered.clear()
      void bus.publish(JSON.stringify([nodeId, EVENTS, numbers]))
    }, GATHER_MS)
  }
}
