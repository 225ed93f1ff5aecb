import { OutLink } from '../design/feedback.tsx'
import { withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { alignmentWords as text } from '../words/alignment.ts'
import { type Alignment, AlignmentBadge } from './alignment-badge.tsx'
import { DnsRecord } from './dns-record.tsx'

/** The one record or step that is missing; of a test message its steps are any texts. */
interface Missing {
  step: string
  sentence: string
  record: { type: string; name: string; value: string } | null
  link: string | null
}

interface Findings {
  missing: Missing | null
  members: readonly {
    member: string
    provider: string | null
    verdict: NonNullable<Alignment>
    sentence: string
    missing: Missing | null
  }[]
}

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

function MissingStep({ domain, missing }: { domain: string; missing: Missing | null }) {
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
