import { type Alignment, AlignmentBadge } from './alignment-badge.tsx'
import { senderHref } from './sender-href.ts'

/** The alignment of From domains through one transport, or of transports for one From domain, each with its sentence. */
export function SenderAlignments({
  rows,
}: {
  rows: readonly {
    domain: string
    /** The transport, where each row has another; else the domain is shown. */
    name?: string
    verdict: Alignment
    sentence: string | null
  }[]
}) {
  return (
    <ul class="lines">
      {rows.map(({ domain, name, verdict, sentence }) => (
        <li key={`${domain} ${name}`}>
          <div class="row">
            <AlignmentBadge verdict={verdict} />
            <a href={senderHref(domain)}>{name ?? domain}</a>
          </div>
          {sentence !== null && <p class="quiet small">{sentence}</p>}
        </li>
      ))}
    </ul>
  )
}
