import { CopyText } from '../design/copy-text.tsx'
import { Facts } from '../design/facts.tsx'
import { alignmentWords as text } from '../words/alignment.ts'

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
