import type { Job } from './queries.ts'

/** What a job is about, after the kind of the job: the name of a file, or of a service. */
export function JobName({ job: { name } }: { job: Pick<Job, 'name'> }) {
  return name === null ? null : (
    <>
      {' · '}
      <bdi>{name}</bdi>
    </>
  )
}
