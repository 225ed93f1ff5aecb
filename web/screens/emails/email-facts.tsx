import { Facts } from '../../design/facts.tsx'
import { PublishedBadge } from '../../records/published-badge.tsx'
import { emailWords } from '../../words/emails.ts'
import type { Draft } from './draft.ts'

const { fields, content, state, sender, defaultSender } = emailWords

/** An email for readers who may not change it. */
export function EmailFacts({ draft }: { draft: Draft }) {
  const { subject, fromName, fromAddress, replyToAddress, headers, isPublished } = draft
  const from = [fromName, fromAddress].filter(Boolean).join(' · ') || defaultSender
  const texts = [
    [fields.customHtml, draft.customHtml],
    [fields.plainText, draft.plainText],
  ] as const
  return (
    <section class="card" aria-label={content}>
      <Facts
        facts={[
          [state, <PublishedBadge key="state" isPublished={isPublished} />],
          [fields.subject, subject],
          [sender, from],
          [fields.replyToAddress, replyToAddress],
          ...headers.map(({ label, value }) => [label, value] as const),
        ]}
      />
      {texts.map(([label, value]) =>
        value === '' ? null : (
          <div key={label} class="field">
            <span class="label">{label}</span>
            <pre>{value}</pre>
          </div>
        ),
      )}
    </section>
  )
}
