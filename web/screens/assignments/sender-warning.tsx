import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { domainOf } from '../../records/sender-domain.ts'
import { senderHref } from '../../records/sender-href.ts'
import { alignmentWords } from '../../words/alignment.ts'
import type { AssignedKind } from './kinds.ts'

const { assign: text } = alignmentWords

/** How many From domains are checked before an assignment. */
const domainsMax = 5
const recordsMax = 200

interface Assigned {
  kind: AssignedKind['name']
  ids: readonly number[]
}

/** Warns before emails or users are assigned to a transport through which receivers will not believe them. */
export function SenderWarning({
  kind,
  ids,
  transport,
}: Assigned & { transport: { value: string; label: string } | undefined }) {
  const { data = [], isLoading } = useData(
    async (signal) => {
      if (transport === undefined) return []
      const domains = await findDomains({ kind, ids }, signal)
      const id = Number(transport.value)
      return Promise.all(domains.map((domain) => findAlignment(domain, id, signal)))
    },
    [kind, ids.join(','), transport?.value],
  )
  if (transport === undefined) return null
  if (isLoading)
    return (
      <p class="quiet small" role="status">
        {text.checking}
      </p>
    )
  return data.map(
    (sender) =>
      sender?.verdict === 'notAligned' && (
        <Notice key={sender.domain} tone="warn">
          {text.notAligned(sender.domain, transport.label)} {sender.sentence}{' '}
          <a href={senderHref(sender.domain)}>{alignmentWords.why(sender.domain)}</a>
        </Notice>
      ),
  )
}

/** The From domains of Mailyard's own emails or users. */
async function findDomains({ kind, ids }: Assigned, signal: AbortSignal): Promise<string[]> {
  const search = `ids:${ids.slice(0, recordsMax).join(',')}`
  const addresses =
    kind === 'emails'
      ? Object.values(
          (await ask('GET', '/api/emails', { query: { search, fields: 'fromAddress' }, signal }))
            .body.emails,
        ).map(({ fromAddress }) => fromAddress ?? '')
      : (await ask('GET', '/api/users', { query: { search }, signal })).body.users.map(
          ({ email }) => email,
        )
  const domains = addresses.flatMap((address) => domainOf(address) ?? [])
  return [...new Set(domains)].slice(0, domainsMax)
}

/** Checks a From domain with a transport; undefined where that is not possible, such as for a domain that does not exist. */
async function findAlignment(domain: string, transport: number, signal: AbortSignal) {
  const options = { path: { domain }, query: { transport }, signal, isBackground: true }
  try {
    const { sender } = (await ask('GET', '/api/senders/{domain}', options)).body
    const found = sender.transports.find(({ id }) => id === transport)
    return found && { domain: sender.domain, verdict: found.verdict, sentence: found.sentence }
  } catch {
    return undefined
  }
}

/** Whether the senders of what is assigned are known: those of Mailyard itself. */
export function knowsSenders(mautic: string): boolean {
  return mautic === '' && can('multipleTransports:view')
}
