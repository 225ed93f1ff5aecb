import { useState } from 'preact/hooks'
import { CopyText } from '../../design/copy-text.tsx'
import { HelpLink, OutLink } from '../../design/feedback.tsx'
import type { Provider } from '../../records/providers.tsx'
import { fillLine } from './fill-line.ts'
import type { DsnForm } from './use-dsn.ts'

const texts = {
  title: 'Set-up steps',
  openPage: (host: string) => `Open ${host}`,
  noSenders: 'Fill in the mailbox, or repeat the lines with MAILBOX for each sender.',
} as const

type Variant = Provider['variants'][number]

/** What to set up at the provider, with the values of the form in the commands. Open until the form is filled in. */
export function SetupSteps({ variant, values }: { variant: Variant; values: DsnForm['fields'] }) {
  const { fields, steps } = variant
  const [isOpen] = useState(fields.some(({ name, required }) => required && !values[name]))
  const isForMailboxes = steps.some(({ lines }) => lines.join().includes('{mailbox}'))
  return (
    <details open={isOpen}>
      <summary>{texts.title}</summary>
      <ol class="setup-steps">
        {steps.map(({ text, link, lines, shell }) => (
          <li key={text}>
            <p>
              {text}{' '}
              {link !== null && <OutLink href={link}>{texts.openPage(new URL(link).host)}</OutLink>}
            </p>
            {lines.map((line) => (
              <CopyText key={line} isScrolled text={fillLine(line, { fields, values, shell })} />
            ))}
          </li>
        ))}
      </ol>
      <p class="quiet small setup-note">
        {isForMailboxes && !values['mailbox'] && texts.noSenders} <HelpLink page="move-to-oauth" />
      </p>
    </details>
  )
}
