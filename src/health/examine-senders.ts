import type { UnalignedSender } from '../senders/index.ts'
import { bad, doubtful, type Finding, type FindingAction } from './finding.ts'

/** How many domains a finding names. */
const namedMax = 5

/** Finds the From domains that receivers will not believe through a transport that sends them. Returns nothing where there are none. */
export function examineSenders(unaligned: readonly UnalignedSender[]): Finding[] {
  if (unaligned.length === 0) return []
  const asksForMore = ({ policy }: UnalignedSender) =>
    policy === 'reject' || policy === 'quarantine'
  const sorted = unaligned.toSorted(
    (one, other) => Number(asksForMore(other)) - Number(asksForMore(one)),
  )
  const parts = sorted.slice(0, namedMax).map(describe)
  const more = sorted.length - parts.length
  const others = more > 0 ? [`The same holds for ${more} others.`] : []
  const domains = [...new Set(sorted.map(({ domain }) => domain))].slice(0, namedMax)
  const create = sorted.some(asksForMore) ? bad : doubtful
  return [
    create('senders', {
      detail: [...parts, ...others].join(' '),
      fix: 'Publish the records that the page of the domain shows, or send through another transport; see docs/tasks/be-believed.md.',
      command: 'mailyard senders get DOMAIN',
      actions: domains.map((name): FindingAction => ({ action: 'openSender', id: null, name })),
    }),
  ]
}

function describe({ domain, transportId, transportName, sentence }: UnalignedSender): string {
  const transport =
    transportId === 0 ? 'the default transport' : `transport ${transportId} (${transportName})`
  return `${domain} through ${transport}: ${sentence}`
}
