import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../src/api/errors.ts'
import { Answer } from '../src/ui/answer.tsx'
import { Breakable } from '../src/ui/breakable.tsx'
import { Button } from '../src/ui/button.tsx'
import { Chip } from '../src/ui/chip.tsx'
import { CodeBlock, CopyButton } from '../src/ui/copy.tsx'
import { Disclosure, Summary } from '../src/ui/disclosure.tsx'
import { Empty } from '../src/ui/empty.tsx'
import { Kbd } from '../src/ui/kbd.tsx'
import { Meter, Progress } from '../src/ui/meter.tsx'
import { More } from '../src/ui/more.tsx'
import { Card, CardSection, Section } from '../src/ui/page.tsx'
import { Parts } from '../src/ui/parts.tsx'
import { Problem } from '../src/ui/problem.tsx'
import { Loading, Skeleton, SkeletonRows } from '../src/ui/skeleton.tsx'
import { Spinner } from '../src/ui/spinner.tsx'
import { Table, Td, Th } from '../src/ui/table.tsx'
import { Tabs } from '../src/ui/tabs.tsx'
import { RelativeTime } from '../src/ui/time.tsx'
import type { Sample } from './sample.ts'

const TONES = ['neutral', 'accent', 'ok', 'warn', 'bad'] as const
const failure = new ApiError(503, 'SERVICE_UNAVAILABLE', 'Try again later.', [], [], 'req_01')

function Sorted() {
  const [order, setOrder] = useState<'asc' | 'desc'>('desc')
  const rows = [
    ['/summer', 1204],
    ['/winter', 7],
  ] as const
  return (
    <Table>
      <thead>
        <tr>
          <Th>Link</Th>
          <Th end sorted={order} onSort={() => setOrder(order === 'asc' ? 'desc' : 'asc')}>
            Clicks
          </Th>
        </tr>
      </thead>
      <tbody>
        {(order === 'desc' ? rows : rows.toReversed()).map(([slug, clicks]) => (
          <tr key={slug}>
            <Td>{slug}</Td>
            <Td end>{clicks}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Panels() {
  const [tab, setTab] = useState('countries')
  return (
    <Tabs
      label="Places"
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'countries', label: 'Countries', panel: <p>Germany</p> },
        { value: 'cities', label: 'Cities', panel: <p>Berlin</p> },
      ]}
    />
  )
}

/** What people read. */
export const DISPLAY: readonly Sample[] = [
  {
    name: 'Chip',
    states: {
      tones: () => (
        <div className="flex flex-wrap gap-2">
          {TONES.map((tone) => (
            <Chip key={tone} tone={tone}>
              {tone}
            </Chip>
          ))}
        </div>
      ),
      removable: () => (
        <Chip onRemove={() => {}} removeLabel="Remove spring">
          spring
        </Chip>
      ),
      button: () => <Chip onClick={() => {}}>Show all</Chip>,
    },
  },
  {
    name: 'CopyButton',
    states: {
      icon: () => <CopyButton text="https://sho.rt/summer" label="Copy the address" />,
      words: () => <CopyButton text="https://sho.rt/summer" label="Copy" words />,
    },
  },
  { name: 'CodeBlock', states: { plain: () => <CodeBlock code="curl https://sho.rt/api/v1" /> } },
  {
    name: 'Disclosure',
    states: {
      closed: () => <Disclosure title="Rules">No rules yet.</Disclosure>,
      open: () => (
        <Disclosure title="Limits" initiallyOpen mark="2 set">
          Until the first of May.
        </Disclosure>
      ),
    },
  },
  {
    name: 'Summary',
    states: {
      closed: () => (
        <details>
          <Summary>Details</Summary>
          Enabled
        </details>
      ),
      open: () => (
        <details open>
          <Summary>Details</Summary>
          Enabled
        </details>
      ),
    },
  },
  {
    name: 'Breakable',
    states: {
      wrapped: () => (
        <p dir="ltr" className="w-40">
          <Breakable>https://example.com/campaigns/summer</Breakable>
        </p>
      ),
    },
  },
  {
    name: 'Parts',
    states: {
      wrapped: () => (
        <p className="w-40">
          <Parts>
            {'New: 30'}
            {'Skipped: 1'}
            {'3,045 clicks'}
          </Parts>
        </p>
      ),
    },
  },
  {
    name: 'Empty',
    states: {
      plain: () => (
        <Empty
          icon={<Inbox />}
          title="No links yet"
          heading="h2"
          action={<Button>New link</Button>}
        >
          Short links that you create are listed here.
        </Empty>
      ),
    },
  },
  {
    name: 'Kbd',
    states: {
      plain: () => (
        <span className="flex gap-2">
          <Kbd>c</Kbd>
          <Kbd>mod+k</Kbd>
        </span>
      ),
    },
  },
  {
    name: 'Meter',
    states: {
      free: () => <Meter value={10} max={100} label="Links" text="10 of 100" />,
      near: () => <Meter value={90} max={100} label="Links, many" text="90 of 100" />,
      full: () => <Meter value={100} max={100} label="Links, all" text="100 of 100" />,
      over: () => <Meter value={120} max={100} label="Links, more" text="120 of 100" />,
    },
  },
  {
    name: 'Progress',
    states: {
      known: () => <Progress value={40} max={100} label="Import" />,
      unknown: () => <Progress value={40} max={null} label="Import of unknown length" />,
    },
  },
  {
    name: 'More',
    states: {
      more: () => (
        <More
          label="Show more"
          list={{ hasNextPage: true, isFetchingNextPage: false, fetchNextPage: async () => {} }}
        />
      ),
      loading: () => (
        <More
          label="Show more, loading"
          list={{ hasNextPage: true, isFetchingNextPage: true, fetchNextPage: async () => {} }}
        />
      ),
    },
  },
  {
    name: 'Problem',
    states: { plain: () => <Problem error={failure} onRetry={() => {}} /> },
  },
  {
    name: 'Answer',
    states: {
      loading: () => (
        <Answer of={{ data: undefined, isError: false } as never}>{() => null}</Answer>
      ),
      data: () => (
        <Answer of={{ data: 'Germany', isError: false } as never}>
          {(data) => <p>{data as string}</p>}
        </Answer>
      ),
    },
  },
  {
    name: 'Skeleton',
    states: {
      block: () => <Skeleton className="h-8 w-40" />,
      rows: () => (
        <>
          <Loading label="Loading" />
          <SkeletonRows count={2} />
        </>
      ),
    },
  },
  { name: 'Spinner', states: { plain: () => <Spinner /> } },
  { name: 'Table', states: { sorted: Sorted } },
  { name: 'Tabs', states: { plain: Panels } },
  {
    name: 'RelativeTime',
    states: {
      plain: () => <RelativeTime time="2024-02-29T10:00:00Z" />,
      short: () => <RelativeTime time="2024-02-29T10:00:00Z" short />,
    },
  },
  {
    name: 'Section',
    states: {
      plain: () => (
        <Section title="Address" description="Where it is reached.">
          sho.rt/summer
        </Section>
      ),
      card: () => (
        <Card>
          <CardSection title="Rules">None.</CardSection>
        </Card>
      ),
    },
  },
]
