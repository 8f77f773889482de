import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, type ReactNode } from 'react'
import { Problem } from '../../ui/problem.tsx'

/** Shows why the session can't be loaded, and retries. */
export function Boundary({ children }: { children: ReactNode }) {
  const { reset } = useQueryErrorResetBoundary()
  return <Caught onRetry={reset}>{children}</Caught>
}

class Caught extends Component<{ onRetry: () => void; children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    const retry = () => {
      this.props.onRetry()
      this.setState({ error: undefined })
    }
    return (
      <main className="flex min-h-dvh flex-col justify-center">
        <Problem heading="h1" error={this.state.error} onRetry={retry} />
      </main>
    )
  }
}
