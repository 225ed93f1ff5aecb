import { useState } from 'preact/hooks'
import { CopyText } from '../../design/copy-text.tsx'
import { HelpLink, OutLink } from '../../design/feedback.tsx'
import type { Provider } from '../../records/providers.tsx'
import { setupWords as texts } from '../../words/setup-steps.ts'
import { fillLine } from './fill-line.ts'
import type { DsnForm } from './use-dsn.ts'
import { type FormTransport, sendersMax, useSenders } from './use-senders.ts'

type Variant = Provider['variants'][number]

/** What to set up at the provider, with the values of the form in the commands. Open until the form is filled in. */
export function SetupSteps({
  variant,
  values,
  transport,
}: {
  variant: Variant
  values: DsnForm['fields']
  transport: FormTransport
}) {
  const isIncomplete = variant.fields.some(({ name, required }) => required && !values[name])
  const [isOpen] = useState(transport.id === undefined || isIncomplete)
  const senders = useSenders(transport)
  const mailbox = String(values['mailbox'] ?? '')
  const mailboxes = mailbox === '' ? senders : [mailbox]
  const isForMailboxes = variant.steps.some(({ lines }) =>
    lines.some((line) => line.includes('{mailbox}')),
  )
  return (
    <details open={isOpen}>
      <summary>{texts.title}</summary>
      <ol class="setup-steps">
        {variant.steps.map(({ text, link, lines, shell }) => (
          <li key={text}>
            <p>
              {text}{' '}
              {link !== null && <OutLink href={link}>{texts.openPage(new URL(link).host)}</OutLink>}
            </p>
            {lines.map((line) => (
              <CopyText
                key={line}
                isScrolled
                text={fillLine(line, { fields: variant.fields, values, mailboxes, shell })}
              />
            ))}
          </li>
        ))}
      </ol>
      <p class="quiet small setup-note">
        {isForMailboxes &&
          mailbox === '' &&
          (senders.length === 0 ? texts.noSenders : texts.ofSenders(sendersMax))}{' '}
        <HelpLink page="move-to-oauth" />
      </p>
    </details>
  )
}
