import { CopyText } from '../design/copy-text.tsx'
import { Facts } from '../design/facts.tsx'
import { alignmentWords as text } from '../words/alignment.ts'

/** DNS records to publish, ready to paste. */
export function DnsRecords({
  records,
}: {
  records: readonly { type: string; name: string; value: string }[]
}) {
  return (
    <ul class="dns-records">
      {records.map(({ type, name, value }) => (
        <li key={`${type} ${name} ${value}`}>
          <Facts
            facts={[
              [text.record.type, <code key="type">{type}</code>],
              [text.record.name, <CopyText key="name" text={name} label={text.copyName(name)} />],
              [
                text.record.value,
                <CopyText key="value" text={value} label={text.copyValue(name)} />,
              ],
            ]}
          />
        </li>
      ))}
    </ul>
  )
}
