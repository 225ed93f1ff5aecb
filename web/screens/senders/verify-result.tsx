import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Body } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { AlignmentBadge, alignmentTones } from '../../records/alignment-badge.tsx'
import { senderHref } from '../../records/sender-href.ts'
import { words } from '../../words/common.ts'
import { senderWords } from '../../words/senders.ts'

const { verify: text } = senderWords

export type VerifiedMessage = Body<'POST', '/api/senders/verify'>['proof']
type Signature = VerifiedMessage['signatures'][number]

const resultTones: Readonly<Record<Signature['result'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  unknown: 'warn',
}

const columns: readonly Column<Signature>[] = [
  { label: text.signedBy, isName: true, show: ({ domain }) => domain },
  {
    label: text.selector,
    priority: 3,
    show: ({ selector }) => <span class="mono">{selector}</span>,
  },
  {
    label: text.outcome,
    show: ({ result }) => <Badge tone={resultTones[result]}>{text.results[result]}</Badge>,
  },
  { label: text.detail, show: ({ detail }) => detail },
]

/** What a received message shows, and whether it is kept as the proof. */
export function VerifyResult({ message }: { message: VerifiedMessage }) {
  const { verdict, sentence, isStored, problem, domain, transport, member } = message
  return (
    <Card title={text.result}>
      <Notice tone={alignmentTones[verdict]}>
        <p class="row">
          <AlignmentBadge verdict={verdict} />
          <strong>{sentence}</strong>
        </p>
      </Notice>
      {isStored ? (
        <p>{text.kept}</p>
      ) : (
        <Notice tone="warn">
          {text.notKept} {problem}
        </Notice>
      )}
      <Facts
        facts={[
          [text.domain, domain && <a href={senderHref(domain)}>{domain}</a>],
          [
            text.through,
            transport && (
              <>
                {transport.id === null ? (
                  transport.name
                ) : (
                  <a href={`/transports/${transport.id}`}>{transport.name}</a>
                )}
                {member !== null && <span class="mono quiet"> {member}</span>}
              </>
            ),
          ],
          [text.messageId, message.messageId && <code>{message.messageId}</code>],
          [text.keptUntil, message.dateExpires && <Time iso={message.dateExpires} />],
        ]}
      />
      <ul class="sender-reasons small">
        {message.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <h3>{text.signatures}</h3>
      {message.signatures.length === 0 ? (
        <p class="quiet">{text.noSignature}</p>
      ) : (
        <Table
          caption={text.signatures}
          rows={message.signatures}
          columns={columns}
          keyOf={({ domain: signer, selector }) => `${signer} ${selector}`}
        />
      )}
      <h3>{text.receiver}</h3>
      {message.results === null ? (
        <p class="quiet">{text.noReceiver}</p>
      ) : (
        <Facts
          facts={[
            [text.server, message.results.server],
            [text.spf, <ResultBadge key="spf" result={message.results.spf} />],
            [text.dkim, <ResultBadge key="dkim" result={message.results.dkim} />],
            [text.dmarc, <ResultBadge key="dmarc" result={message.results.dmarc} />],
          ]}
        />
      )}
    </Card>
  )
}

/** A result in the words of the receiver, such as `pass` or `softfail`. */
function ResultBadge({ result }: { result: string | null }) {
  if (result === null) return <span class="quiet">{words.none}</span>
  return <Badge tone={result === 'pass' ? 'good' : 'warn'}>{result}</Badge>
}
