import { alignmentWords } from '../words/alignment.ts'
import { type Alignment, AlignmentBadge } from './alignment-badge.tsx'

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
          <p class="quiet small">{sentence ?? alignmentWords.meanings.unchecked}</p>
        </li>
      ))}
    </ul>
  )
}
