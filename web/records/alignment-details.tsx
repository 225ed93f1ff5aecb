import type { Schema } from '../lib/api.ts'
import { alignmentWords as text } from '../words/alignment.ts'
import { AlignmentBadge } from './alignment-badge.tsx'
import { DnsRecords } from './dns-records.tsx'

type Transport = Schema<'SenderTransport'>

/** What was found of a From domain through a transport. */
export type AlignmentFindings = Pick<
  Transport,
  'verdict' | 'sentence' | 'reasons' | 'records' | 'members'
>

/** Why a From domain is aligned or not through a transport, by member where there are several, and what to publish. */
export function AlignmentDetails({ alignment }: { alignment: AlignmentFindings }) {
  const { verdict, reasons, records, members } = alignment
  return (
    <>
      {members.length > 1 ? (
        <ul class="lines" aria-label={text.members}>
          {members.map((member, index) => (
            <li key={index} class="stack sender-member">
              <div class="row">
                <AlignmentBadge verdict={member.verdict} />
                <code>{member.member}</code>
                {member.provider !== null && <span class="quiet small">{member.provider}</span>}
              </div>
              <p>{member.sentence}</p>
              <Reasons reasons={member.reasons} isOpen={false} />
            </li>
          ))}
        </ul>
      ) : (
        <Reasons reasons={reasons} isOpen={verdict !== 'aligned'} />
      )}
      {records.length > 0 && (
        <>
          <h3>{text.publish}</h3>
          <DnsRecords records={records} />
        </>
      )}
    </>
  )
}

function Reasons({ reasons, isOpen }: { reasons: readonly string[]; isOpen: boolean }) {
  if (reasons.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>{text.found}</summary>
      <ul class="sender-reasons small">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </details>
  )
}
