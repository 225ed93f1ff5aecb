import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import type { AssignedKind } from '../../records/assigned.ts'
import { domainOf, senderHref } from '../../records/sender-domain.ts'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'

const text = {
  checking: 'The senders of these emails are being checked.',
  notAligned: (domain: string, transport: string) =>
    `Receivers will not believe ${domain} through ${transport}.`,
  failed: (problem: string) => `The senders of these emails were not checked: ${problem}`,
  partial:
    'Not all senders were checked here: emails without a From address use the default sender. Look for their domains under',
} as const

const domainsMax = 5
const recordsMax = 200

/** Emails or users of Mailyard itself: the senders of a Mautic's are not known. */
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
  const { data, fault, isLoading } = useData(
    async (signal) =>
      transport && (await checkSenders({ kind, ids }, Number(transport.value), signal)),
    [kind, ids.join(','), transport?.value],
  )
  if (transport === undefined) return null
  if (isLoading)
    return (
      <p class="quiet small" role="status">
        {text.checking}
      </p>
    )
  if (fault !== undefined) return <Notice tone="warn">{text.failed(fault.message)}</Notice>
  if (data === undefined) return null
  const id = Number(transport.value)
  return (
    <>
      {data.notAligned.map(({ domain, sentence }) => (
        <Notice key={domain} tone="warn">
          {text.notAligned(domain, transport.label)} {sentence}{' '}
          <a href={senderHref(domain, id)}>{alignmentWords.why(domain)}</a>
        </Notice>
      ))}
      {data.isPartial && (
        <p class="quiet small">
          {text.partial} <a href="/senders">{words.places.senders}</a>.
        </p>
      )}
    </>
  )
}

/** Finds the senders of what is assigned, and checks the first of their domains with a transport. */
async function checkSenders(assigned: Assigned, transport: number, signal: AbortSignal) {
  const addresses = await findAddresses(assigned, signal)
  const domains = [...new Set(addresses.flatMap((address) => domainOf(address) ?? []))]
  const checked = await Promise.all(
    domains.slice(0, domainsMax).map((domain) => findAlignment(domain, transport, signal)),
  )
  const areAll = assigned.ids.length <= recordsMax && domains.length <= domainsMax
  const areKnown = checked.every(({ verdict }) => verdict !== undefined)
  return {
    notAligned: checked.filter(({ verdict }) => verdict === 'notAligned'),
    isPartial: !areAll || !areKnown || addresses.includes(''),
  }
}

/** The senders of emails or users; empty for an email that is sent from the default sender, which the API does not tell. */
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

/** Checks a From domain with a transport; without a verdict where that is not possible, such as for a domain that is not valid. */
async function findAlignment(domain: string, transport: number, signal: AbortSignal) {
  const options = { path: { domain }, query: { transport }, signal, isBackground: true }
  try {
    const { sender } = (await ask('GET', '/api/senders/{domain}', options)).body
    const alignment = sender.transports.find(({ id }) => id === transport)
    return { domain, verdict: alignment?.verdict, sentence: alignment?.sentence }
  } catch {
    return { domain, verdict: undefined, sentence: undefined }
  }
}
