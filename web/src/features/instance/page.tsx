import {
  type InfiniteData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Refused } from '../../app/refused.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Empty } from '../../ui/empty.tsx'
import { InputGroup } from '../../ui/input.tsx'
import { More } from '../../ui/more.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { showToast, useShowError } from '../../ui/toast.tsx'
import { FoldedMisses } from '../domains/misses.tsx'
import { plansQuery } from '../usage/queries.ts'
import { Blocks } from './blocks.tsx'
import { type InstanceWorkspace, instanceWorkspacesQuery, setPlan } from './queries.ts'

/** The page of the instance's owner: workspaces and their plans. */
export function InstancePage() {
  const { t } = useI18n()
  const { user } = usePlace()
  if (!user.instance_owner) {
    return <Refused title={t('instance.title')} text={t('instance.forbidden')} ofInstance />
  }
  return <Workspaces />
}

function Workspaces() {
  const { t, format } = useI18n()
  const { instance } = usePlace()
  const { search = '' } = useSearch({ from: '/shell/instance' })
  const navigate = useNavigate()
  const [typed, setTyped] = useState(search)
  // A search is requested after a pause in typing.
  useEffect(() => {
    if (typed === search) return
    const timer = setTimeout(() => {
      void navigate({
        to: '/instance',
        search: typed === '' ? {} : { search: typed },
        replace: true,
      })
    }, 150)
    return () => clearTimeout(timer)
  }, [typed, search, navigate])
  const workspaces = useInfiniteQuery(instanceWorkspacesQuery(search))
  return (
    <Page
      title={t('instance.title')}
      description={format.sentences([
        t('instance.text'),
        t('instance.version', { version: instance.version }),
      ])}
    >
      <InputGroup
        type="search"
        className="mb-4 sm:w-80!"
        before={<Search />}
        aria-label={t('instance.search')}
        placeholder={t('instance.search')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Answer of={workspaces} loading={<SkeletonRows count={2} />}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('instance.none')}>
              <p>{t('instance.noneText')}</p>
            </Empty>
          ) : (
            <>
              <ul className="border-line border-t">
                {all.map((workspace) => (
                  <WorkspaceRow key={workspace.id} workspace={workspace} search={search} />
                ))}
              </ul>
              <More list={workspaces} label={t('instance.more')} />
            </>
          )
        }
      </Answer>
      <InstanceMisses />
      <Blocks />
    </Page>
  )
}

/** The missed visits of the hosts that all workspaces share. */
function InstanceMisses() {
  const { t } = useI18n()
  const { domains } = usePlace().instance
  return (
    <Section title={t('domains.misses')} description={t('domains.misses.text')} className="mt-10">
      {domains.map((host) => (
        <FoldedMisses key={host} host={host} />
      ))}
    </Section>
  )
}

type Pages = InfiniteData<{ data: InstanceWorkspace[] }>

function WorkspaceRow({ workspace, search }: { workspace: InstanceWorkspace; search: string }) {
  const { t, format } = useI18n()
  const showError = useShowError()
  const client = useQueryClient()
  const plans = useQuery(plansQuery)
  const { queryKey } = instanceWorkspacesQuery(search)
  const { id, name, plan } = workspace
  const change = useMutation({
    mutationFn: (next: string) => setPlan(id, next),
    onMutate(next) {
      const before = client.getQueryData(queryKey)
      client.setQueryData(
        queryKey,
        (pages: Pages | undefined) => withPlan(pages, id, next) as never,
      )
      return { pages: before, plan }
    },
    onError(error, _next, before) {
      client.setQueryData(queryKey, before?.pages)
      showError(error)
    },
    onSuccess(_workspace, next, before) {
      const known = plans.data?.find((one) => one.id === next)
      showToast({
        title: t('instance.planSet', { name, plan: known?.name ?? next }),
        action: { label: t('common.undo'), onClick: () => change.mutate(before.plan) },
      })
      void client.invalidateQueries({ queryKey: ['instance'] })
    },
  })
  const options = plans.data?.map((one) => ({ value: one.id, label: one.name })) ?? []
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 border-line border-b py-2.5">
      <div className="flex min-w-0 flex-1 basis-full flex-col sm:basis-56">
        <span dir="auto" title={name} className="max-w-full self-start truncate font-medium">
          {name}
        </span>
        <code dir="ltr" className="self-start truncate text-faint text-xs">
          {id}
        </code>
      </div>
      {workspace.members === undefined ? null : (
        <Figure label={t('instance.members')} value={format.number(workspace.members)} />
      )}
      {workspace.links === undefined ? null : (
        <Figure label={t('instance.links')} value={format.number(workspace.links)} />
      )}
      <Figure label={t('instance.created')} value={format.date(workspace.created_at)} />
      <Select
        compact
        className="ms-auto min-w-36"
        label={t('instance.planOf', { name })}
        value={plan}
        onChange={(next) => change.mutate(next)}
        options={options.length > 0 ? options : [{ value: plan, label: plan }]}
      />
    </li>
  )
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <span className="flex min-w-16 flex-col text-sm">
      <span className="text-faint text-xs">{label}</span>
      <span className="tabular">{value}</span>
    </span>
  )
}

function withPlan(pages: Pages | undefined, id: string, plan: string): Pages | undefined {
  if (pages === undefined) return undefined
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      data: page.data.map((one) => (one.id === id ? { ...one, plan } : one)),
    })),
  }
}
