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
  const { data, isLoading } = useData(
    async (signal) => {
      if (transport === undefined) return undefined
      const addresses = await findAddresses({ kind, ids }, signal)
      const domains = new Set(addresses.flatMap((address) => domainOf(address) ?? []))
      const checked = [...domains].slice(0, domainsMax)
      const id = Number(transport.value)
      return {
        hasDefault: addresses.includes(''),
        senders: await Promise.all(checked.map((domain) => findAlignment(domain, id, signal))),
      }
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
  return (
    <>
      {data?.senders.map(
        (sender) =>
          sender?.verdict === 'notAligned' && (
            <Notice key={sender.domain} tone="warn">
              {text.notAligned(sender.domain, transport.label)} {sender.sentence}{' '}
              <a href={senderHref(sender.domain, Number(transport.value))}>
                {alignmentWords.why(sender.domain)}
              </a>
            </Notice>
          ),
      )}
      {data?.hasDefault === true && <p class="quiet small">{text.defaultSender}</p>}
    </>
  )
}

/** The senders of Mailyard's own emails or users; empty for an email that is sent from the default sender, which the API does not tell. */
async function findAddresses({ kind, ids }: Assigned, signal: AbortSignal): Promise<string[]> {
  const asked = ids.slice(0, recordsMax)
  const query = { search: `ids:${asked.join(',')}`, limit: asked.length }
  if (kind === 'users') {
    const { users } = (await ask('GET', '/api/users', { query, signal })).body
    return users.map(({ email }) => email)
  }
  const options = { query: { ...query, fields: 'fromAddress' }, signal }
  const { emails } = (await ask('GET', '/api/emails', options)).body
  return Object.values(emails).map(({ fromAddress }) => fromAddress ?? '')
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
