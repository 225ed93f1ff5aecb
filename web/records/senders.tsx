import { CopyText } from '../design/copy-text.tsx'
import { Facts } from '../design/facts.tsx'
import { Badge, Dot, OutLink } from '../design/feedback.tsx'
import type { IconName } from '../design/icon.tsx'
import { ask, type Body, type Schema, withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { alignmentWords as text } from '../words/alignment.ts'

/** A From domain through one transport. */
interface Row {
  /** What tells the rows apart: the From domain, or the transport. */
  name: string
  /** The page of what the name says; undefined for the default transport. */
  href: string | undefined
  verdict: Alignment
  sentence: string | null
}

/** The alignment of From domains through one transport, or of one From domain through transports, each with its sentence. */
export function SenderAlignments({ rows }: { rows: readonly Row[] }) {
  return (
    <ul class="lines">
      {rows.map(({ name, href, verdict, sentence }) => (
        <li key={href}>
          <div class="row">
            <AlignmentBadge verdict={verdict} />
            {href === undefined ? name : <a href={href}>{name}</a>}
          </div>
          <p class="quiet small">{sentence ?? text.meanings.unchecked}</p>
        </li>
      ))}
    </ul>
  )
}

/** What was found, and the one record or step that is missing; of a test message its steps are any texts. */
type Findings = Pick<
  NonNullable<Body<'POST', '/api/multipleTransports/send/test'>['alignment']>,
  'missing' | 'members'
>

/** What is missing for a From domain through a transport, by member where there are several. */
export function AlignmentDetails({ domain, alignment }: { domain: string; alignment: Findings }) {
  const { missing, members } = alignment
  if (members.length <= 1) return <MissingStep domain={domain} missing={missing} />
  return (
    <ul class="lines" aria-label={text.members}>
      {members.map((member, index) => (
        <li key={index} class="stack">
          <div class="row">
            <AlignmentBadge verdict={member.verdict} />
            <code>{member.member}</code>
            {member.provider !== null && <span class="quiet small">{member.provider}</span>}
          </div>
          <p>{member.sentence}</p>
          <MissingStep domain={domain} missing={member.missing} />
        </li>
      ))}
    </ul>
  )
}

function MissingStep({ domain, missing }: { domain: string; missing: Findings['missing'] }) {
  if (missing === null) return null
  const { step, sentence, record, link } = missing
  return (
    <div class="stack">
      <p>
        <strong>{text.missing}</strong> {sentence}
        {link !== null && (
          <>
            {' '}
            <OutLink href={link}>{text.howTo}</OutLink>
          </>
        )}
        {step === 'createKey' && can('multipleTransports:create') && (
          <>
            {' '}
            <a href={withQuery('/senders/keys/new', { domain })}>{text.createKey}</a>
          </>
        )}
      </p>
      {record !== null && <DnsRecord record={record} />}
    </div>
  )
}

/** Whether receivers will believe a From domain through a transport; null where it was not checked. */
export type Alignment = Schema<'ListedSender'>['transports'][number]['verdict']

type Shown = keyof typeof text.states

const shownOf = (verdict: Alignment): Shown => verdict ?? 'unchecked'

/** The tone of each state. */
export const alignmentTones: Readonly<Record<Shown, 'good' | 'bad' | 'neutral'>> = {
  aligned: 'good',
  likely: 'good',
  notAligned: 'bad',
  cannotTell: 'neutral',
  unchecked: 'neutral',
}

const icons: Readonly<Partial<Record<Shown, IconName>>> = { cannotTell: 'uncertain' }

/** The alignment in words. */
export function AlignmentBadge({ verdict }: { verdict: Alignment }) {
  const shown = shownOf(verdict)
  return (
    <Badge tone={alignmentTones[shown]} icon={icons[shown]} title={text.meanings[shown]}>
      {text.states[shown]}
    </Badge>
  )
}

/** The alignment of a domain through a transport as a dot. `name`: of the transport, where nothing else says it. */
export function AlignmentDot({ name, verdict }: { name?: string; verdict: Alignment }) {
  const shown = shownOf(verdict)
  const state = text.states[shown]
  return (
    <Dot tone={alignmentTones[shown]} isHollow={shown === 'likely' || shown === 'unchecked'}>
      {name === undefined ? state : text.through(name, state)}
    </Dot>
  )
}

/** The API returns no more at once; a domain may have many subdomains, which match its name too. */
const limit = 1_000

/** Finds a From domain that is in use, as the list of senders has it; undefined for one that nothing uses. */
export async function findSender(
  domain: string,
  signal: AbortSignal,
): Promise<Schema<'ListedSender'> | undefined> {
  const query = { search: domain, limit }
  const { body } = await ask('GET', '/api/senders', { query, signal, isBackground: true })
  return body.senders.find((sender) => sender.domain === domain)
}

/** A DNS record to publish, ready to paste. */
export function DnsRecord({
  record: { type, name, value },
}: {
  record: { type: string; name: string; value: string }
}) {
  return (
    <div class="dns-record">
      <Facts
        facts={[
          [text.record.type, <code key="type">{type}</code>],
          [text.record.name, <CopyText key="name" text={name} label={text.copyName(name)} />],
          [text.record.value, <CopyText key="value" text={value} label={text.copyValue(name)} />],
        ]}
      />
    </div>
  )
}
