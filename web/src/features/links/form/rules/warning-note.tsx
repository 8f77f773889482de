import { TriangleAlert } from 'lucide-react'

/** Probable mistakes that were accepted. */
export function WarningNote({ messages }: { messages: readonly string[] }) {
  return messages.map((message) => (
    <p key={message} className="flex gap-2 rounded-sm bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
      <TriangleAlert className="mt-0.75 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{message}</span>
    </p>
  ))
}
