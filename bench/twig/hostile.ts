// The time and memory that hostile templates use before the default limits stop them: `node bench/twig/hostile.ts`.
import { hostileTemplates } from '../../test/templates/hostile/all.ts'
import { findProblem, runHostile } from '../../test/templates/hostile/run-hostile.ts'

/** The cost of one hostile template. */
export interface HostileResult {
  readonly title: string
  /** Processor time, so that other programs on the machine do not count. */
  readonly ms: number
  readonly megabytes: number
  /** Why it did not end as expected. */
  readonly problem: string | undefined
}

const usedBytes = (): number => {
  const { rss } = process.memoryUsage()
  return rss
}

/** Runs the templates sequentially in this process. Memory is the growth of the process. */
export function runHostileBench(): HostileResult[] {
  return Object.values(hostileTemplates)
    .flat()
    .map((template) => {
      const bytesBefore = usedBytes()
      const work = process.threadCpuUsage()
      const outcome = runHostile(template)
      const { user, system } = process.threadCpuUsage(work)
      const ms = (user + system) / 1_000
      const megabytes = Math.max(0, (usedBytes() - bytesBefore) / 1e6)
      return { title: template.title, ms, megabytes, problem: findProblem(template, outcome) }
    })
}

if (import.meta.main) {
  const results = runHostileBench()
  const slowest = results.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  const greatest = results.toSorted((a, b) => b.megabytes - a.megabytes).slice(0, 5)
  const wrong = results.filter((result) => result.problem !== undefined)
  const lines = [
    `${results.length} hostile templates, ${wrong.length} not ended as they must`,
    ...wrong.map((result) => `  ${result.title}: ${result.problem}`),
    'the slowest (100 ms wanted):',
    ...slowest.map(({ title, ms }) => `  ${ms.toFixed(0)} ms  ${title.slice(0, 70)}`),
    'the greatest (64 MB wanted):',
    ...greatest.map(
      ({ title, megabytes }) => `  ${megabytes.toFixed(0)} MB  ${title.slice(0, 70)}`,
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
