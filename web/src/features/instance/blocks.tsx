import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useAction } from '../../ui/toast.tsx'
import {
  abuseQuery,
  addBlock,
  type Block,
  dismissReport,
  endBlock,
  KINDS,
  type Kind,
  type Report,
} from './block-calls.ts'

/** What is blocked, and what visitors have reported. */
export function Blocks() {
  const { t } = useI18n()
  const abuse = useQuery(abuseQuery)
  /** The chosen report's address; each choice fills in the form anew. */
  const [chosen, setChosen] = useState({ address: '', times: 0 })
  const choose = (address: string) => setChosen(({ times }) => ({ address, times: times + 1 }))
  if (abuse.isError) return <Problem error={abuse.error} onRetry={() => void abuse.refetch()} />
  if (abuse.isPending) return <Skeleton className="h-32 w-full" />
  const { blocks, reports } = abuse.data
  return (
    <div className="mt-10 flex flex-col gap-8">
      <Section title={t('instance.reports.title')}>
        <List empty={t('instance.reports.none')}>
          {reports.map((report) => (
            <ReportRow key={report.address} report={report} onBlock={choose} />
          ))}
        </List>
      </Section>
      <Section title={t('instance.blocks.title')}>
        <BlockForm key={chosen.times} address={chosen.address} />
        <List empty={t('instance.blocks.none')}>
          {blocks.map((block) => (
            <BlockRow key={block.id} block={block} />
          ))}
        </List>
      </Section>
    </div>
  )
}

function List({ empty, children }: { empty: string; children: React.ReactNode[] }) {
  if (children.length === 0) return <p className="text-muted text-sm">{empty}</p>
  return <ul className="border-line border-t">{children}</ul>
}

/** Changes blocks or reports, and reloads them. */
function useChange<T>(mutationFn: (input: T) => Promise<unknown>) {
  const client = useQueryClient()
  return useAction(mutationFn, () => client.invalidateQueries({ queryKey: abuseQuery.queryKey }))
}

function BlockForm({ address }: { address: string }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>('link')
  const [value, setValue] = useState(address)
  const [reason, setReason] = useState('')
  const add = useMutation({
    mutationFn: () => addBlock({ kind, value, reason }),
    onSuccess() {
      setValue('')
      setReason('')
      return client.invalidateQueries({ queryKey: abuseQuery.queryKey })
    },
  })
  return (
    <Form task={add} className="mb-6 flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label={t('instance.blocks.kind')}
          value={kind}
          onChange={setKind}
          options={KINDS.map((one) => ({
            value: one,
            label: t(`instance.blocks.kind.${one}`),
          }))}
        />
        <TextField
          label={t('instance.blocks.value')}
          hint={t('instance.blocks.hint')}
          className="sm:col-span-2"
          dir="ltr"
          required
          autoFocus={address !== ''}
          value={value}
          onChange={setValue}
        />
      </div>
      <TextField
        label={t('instance.blocks.reason')}
        required
        maxLength={1000}
        value={reason}
        onChange={setReason}
      />
      <Submit of={add} className="self-start">
        {t('instance.blocks.add')}
      </Submit>
    </Form>
  )
}

function BlockRow({ block }: { block: Block }) {
  const { t, format } = useI18n()
  const end = useChange(endBlock)
  const { id, kind, value, reason, created_by, created_at, appeals } = block
  return (
    <Row
      title={value}
      facts={[t(`instance.blocks.kind.${kind}`), created_by, format.date(created_at)]}
      actions={
        <Button
          size="sm"
          aria-label={t('common.labelled', { label: t('instance.blocks.end'), value })}
          loading={end.isPending}
          onClick={() => end.mutate(id)}
        >
          {t('instance.blocks.end')}
        </Button>
      }
    >
      <p dir="auto" className="text-sm [overflow-wrap:anywhere]">
        {reason}
      </p>
      {appeals.map((appeal) => (
        <div key={appeal.workspace_id} className="mt-2 border-line-strong border-s-2 ps-3 text-sm">
          <p className="text-faint text-xs">
            {t('instance.blocks.appeal', { workspace: appeal.workspace_id })}
          </p>
          <p dir="auto" className="[overflow-wrap:anywhere]">
            {appeal.text}
          </p>
        </div>
      ))}
    </Row>
  )
}

function ReportRow({ report, onBlock }: { report: Report; onBlock: (address: string) => void }) {
  const { t, format } = useI18n()
  const dismiss = useChange(dismissReport)
  const { address, times, text, reported_at } = report
  const count = format.number(times)
  return (
    <Row
      title={address}
      facts={[t('instance.reports.times', { count }), format.date(reported_at)]}
      actions={
        <>
          <Button
            size="sm"
            aria-label={t('common.labelled', { label: t('instance.blocks.add'), value: address })}
            onClick={() => onBlock(address)}
          >
            {t('instance.blocks.add')}
          </Button>
          <Button
            size="sm"
            aria-label={t('common.labelled', {
              label: t('instance.reports.dismiss'),
              value: address,
            })}
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate(address)}
          >
            {t('instance.reports.dismiss')}
          </Button>
        </>
      }
    >
      <p dir="auto" className="text-sm [overflow-wrap:anywhere]">
        {text}
      </p>
    </Row>
  )
}

function Row(props: {
  title: string
  facts: string[]
  actions: React.ReactNode
  children: React.ReactNode
}) {
  const { title, facts, actions, children } = props
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 border-line border-b py-2.5">
      <div className="min-w-0 flex-1 basis-full sm:basis-56">
        <bdi dir="ltr" className="font-medium [overflow-wrap:anywhere]">
          {title}
        </bdi>
        <p className="mb-1 text-faint text-xs">
          {facts.map((fact) => (
            <span key={fact} className="me-3 inline-block">
              <bdi>{fact}</bdi>
            </span>
          ))}
        </p>
        {children}
      </div>
      <div className="ms-auto flex gap-2">{actions}</div>
    </li>
  )
}
